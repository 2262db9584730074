// @ts-check
// The sources and targets of a map: a file, a bundled map, the map maker.
/** @import {GameInfo} from "./messages" */
import { fill, fresh, h, say } from "./element.js";
import { Drawing, LARGEST } from "./editor_map.js";
import { bundled, generate, parse, xml } from "./maps_api.js";

export class Files {
  /** @param {GameInfo | undefined} game @param {() => Drawing} drawing @param {(drawing: Drawing, words: string) => void} take */
  constructor(game, drawing, take) {
    this.drawing = drawing;
    this.take = take;
    this.said = h("p", { class: "about", role: "status" });
    this.open = h("input", {
      type: "file",
      accept: ".xml,application/xml,text/xml",
      class: "unseen",
      id: fresh("file"),
      on: { change: () => this.read() },
    });
    this.save = h("button", { type: "button", class: "primary", on: { click: () => this.write() } }, "Save as XML");
    const maps = (game?.setups ?? []).map(({ name }) => h("option", { value: name }, name));
    this.maps = h(
      "select",
      { id: fresh("bundled"), on: { change: () => this.fetch() } },
      h("option", { value: "" }, "choose …"),
      ...maps,
    );
    this.element = h(
      "section",
      { class: "card files" },
      h("h2", {}, "File"),
      h(
        "div",
        { class: "row" },
        this.save,
        h("label", { class: "button", for: this.open.id }, this.open, "Open a file"),
      ),
      h("label", { class: "field", for: this.maps.id }, h("span", {}, "Begin with a bundled map"), this.maps),
      this.said,
    );
  }

  async read() {
    const file = this.open.files?.[0];
    this.open.value = "";
    if (!file) return;
    await this.attempt(async () => {
      const { map, warnings } = await parse(file);
      this.take(Drawing.from(map), `${file.name} was opened.${warnings.map((text) => ` ${text}.`).join("")}`);
      return `${file.name}: opened.${warnings.length ? ` Note: ${warnings.join("; ")}.` : ""}`;
    });
  }

  async fetch() {
    const name = this.maps.value;
    this.maps.value = "";
    if (!name) return;
    await this.attempt(async () => {
      const { view } = await bundled(name);
      this.take(Drawing.seen(view), `The map ${name} was opened.`);
      return `${name}: opened.`;
    });
  }

  async write() {
    await this.attempt(async () => {
      const address = URL.createObjectURL(await xml(this.drawing().plain));
      h("a", { href: address, download: "map.xml" }).click();
      window.setTimeout(() => URL.revokeObjectURL(address), 10_000);
      return "Saved as map.xml, in the course’s format.";
    });
  }

  /** @param {() => Promise<string>} act */
  async attempt(act) {
    this.said.classList.remove("error");
    try {
      say(this.said, await act());
    } catch (error) {
      this.said.classList.add("error");
      say(this.said, `That did not work: ${error instanceof Error ? error.message : error}`);
    }
  }
}

const WISHES = /** @type {[string, string, number, number, number][]} name, words, usual, least, most */ ([
  ["rows", "Rows", 10, 1, LARGEST],
  ["columns", "Columns", 10, 1, LARGEST],
  ["low", "In a house, from", 1, 1, LARGEST],
  ["high", "to", 12, 1, LARGEST],
  ["houses", "Houses", 16, 0, 10_000],
  ["start", "Each side", 8, 1, LARGEST],
]);

export class Maker {
  /** @param {(drawing: Drawing, words: string) => void} take */
  constructor(take) {
    this.take = take;
    /** @type {Map<string, HTMLInputElement>} */
    this.inputs = new Map();
    const fields = WISHES.map(([name, words, value, min, max]) => {
      const input = h("input", { id: fresh(name), type: "number", value, min, max });
      this.inputs.set(name, input);
      return h("label", { class: "field", for: input.id }, h("span", {}, words), input);
    });
    this.symmetric = h("input", { type: "checkbox", checked: true });
    this.error = h("p", { class: "error", role: "alert", hidden: true });
    this.element = h(
      "form",
      { class: "card maker", novalidate: true, on: { submit: (/** @type {Event} */ event) => this.make(event) } },
      h("h2", {}, "Make one up"),
      h("div", { class: "wishes" }, ...fields),
      h(
        "div",
        { class: "row" },
        h("label", { class: "switch" }, this.symmetric, "Symmetric"),
        h("span", { class: "grow" }),
        h("button", { type: "submit" }, "Make a map"),
      ),
      this.error,
    );
  }

  /** @param {string} name */
  wish(name) {
    return Number(this.inputs.get(name)?.value) || 0;
  }

  /** @param {Event} event */
  async make(event) {
    event.preventDefault();
    this.error.hidden = true;
    try {
      /** @type {[number, number]} */
      const humans = [this.wish("low"), this.wish("high")];
      const { map, seed } = await generate({
        rows: this.wish("rows"),
        columns: this.wish("columns"),
        houses: this.wish("houses"),
        humans,
        start: this.wish("start"),
        symmetric: this.symmetric.checked,
      });
      this.take(Drawing.from(map), `A new map was made, seed ${seed}.`);
    } catch (error) {
      this.error.hidden = false;
      fill(this.error, error instanceof Error ? error.message : String(error));
    }
  }
}
