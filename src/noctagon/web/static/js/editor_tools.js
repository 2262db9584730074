// @ts-check
// The tools of the map editor: what the pointer draws, the count, and symmetry.
/** @import {Kind, Symmetry} from "./editor_map.js" */
import { fresh, h } from "./element.js";
import { LARGEST } from "./editor_map.js";

/** @typedef {Kind | "erase"} Tool */

const TOOLS = /** @type {[Tool, string, string][]} */ ([
  ["humans", "House", "h"],
  ["vampires", "Vampires", "v"],
  ["werewolves", "Werewolves", "w"],
  ["erase", "Erase", "e"],
]);
const SYMMETRIES = /** @type {[Symmetry, string][]} */ ([
  ["turn", "half a turn"],
  ["across", "left and right"],
  ["down", "top and bottom"],
  ["none", "off"],
]);

export class Tools {
  /** @param {(tool: Tool) => SVGElement | null} picture @param {(symmetry: Symmetry) => void} mirror @param {() => void} changed */
  constructor(picture, mirror, changed) {
    const group = fresh("tool");
    /** @type {Map<Tool, HTMLInputElement>} */
    this.radios = new Map();
    /** The counts of a house and of a start group. */
    this.counts = { house: 4, start: 8 };
    const tools = TOOLS.map(([tool, name, key]) => {
      const radio = h("input", {
        type: "radio",
        name: group,
        value: tool,
        class: "unseen",
        on: { change: () => this.chooseTool() },
      });
      radio.checked = tool === "humans";
      this.radios.set(tool, radio);
      return h(
        "label",
        { class: "tool", title: `${name} (${key.toUpperCase()})` },
        radio,
        picture(tool),
        h("span", {}, name),
      );
    });
    const id = fresh("count");
    this.slider = h("input", {
      type: "range",
      min: 1,
      max: 30,
      value: 4,
      "aria-label": "How many",
      on: { input: () => this.setCount(Number(this.slider.value)) },
    });
    this.number = h("input", { id, type: "number", min: 1, max: LARGEST, value: 4, on: { input: () => this.typed() } });
    this.symmetry = h(
      "select",
      { id: fresh("symmetry"), on: { change: () => this.chooseSymmetry() } },
      ...SYMMETRIES.map(([value, name]) => h("option", { value }, name)),
    );
    this.mirror = h(
      "button",
      { type: "button", class: "small-button", on: { click: () => mirror(this.chosenSymmetry) } },
      "Mirror what is there",
    );
    this.changed = changed;
    this.element = h(
      "section",
      { class: "card tools" },
      h("h2", {}, "Draw"),
      h("fieldset", { class: "toolbox" }, h("legend", { class: "unseen" }, "What to draw"), ...tools),
      h("div", { class: "how-many-row" }, h("label", { for: id }, "How many"), this.slider, this.number),
      h(
        "div",
        { class: "row" },
        h("label", { class: "field", for: this.symmetry.id }, h("span", {}, "Symmetry"), this.symmetry),
        this.mirror,
      ),
    );
  }

  /** @returns {Tool} */
  get tool() {
    for (const [tool, radio] of this.radios) if (radio.checked) return tool;
    return "humans";
  }

  get count() {
    return clamp(Number(this.number.value));
  }

  /** @returns {Symmetry} */
  get chosenSymmetry() {
    return /** @type {Symmetry} */ (this.symmetry.value);
  }

  /** A tool by its key; whether there is one. @param {string} key */
  press(key) {
    const found = TOOLS.find(([, , one]) => one === key.toLowerCase());
    const radio = found && this.radios.get(found[0]);
    if (!found || !radio) return "";
    radio.checked = true;
    this.chooseTool();
    return found[1];
  }

  /** Houses and start groups have their own numbers. */
  chooseTool() {
    if (this.tool !== "erase") this.setCount(this.counts[this.counted]);
    else this.changed();
  }

  /** @returns {"house" | "start"} */
  get counted() {
    return this.tool === "vampires" || this.tool === "werewolves" ? "start" : "house";
  }

  /** @param {number} count */
  setCount(count) {
    this.number.value = String(clamp(count));
    this.typed();
  }

  typed() {
    this.slider.value = this.number.value;
    this.counts[this.counted] = this.count;
    this.changed();
  }

  chooseSymmetry() {
    this.mirror.disabled = this.chosenSymmetry === "none";
    this.changed();
  }
}

/** @param {number} count */
const clamp = (count) => Math.max(1, Math.min(LARGEST, Math.round(count) || 1));
