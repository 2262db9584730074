// @ts-check
// The problems of the map, shown while it is drawn.
/** @import {Drawing} from "./editor_map.js" */
/** @import {MapChecked} from "./messages" */
import { fill, h } from "./element.js";
import { check } from "./maps_api.js";
import { plural } from "./names.js";

const WAIT = 180;

export class Check {
  /** @param {() => void} changed when something new is known */
  constructor(changed) {
    this.changed = changed;
    /** @type {MapChecked | null} of the map as it is now; null while that is not known */
    this.known = null;
    this.timer = 0;
    this.number = 0;
    this.list = h("ul", { class: "findings", role: "status" });
    this.facts = h("p", { class: "about" });
    this.element = h("section", { class: "card check" }, h("h2", {}, "Check"), this.list, this.facts);
  }

  /** @param {Drawing} drawing */
  look(drawing) {
    this.known = null;
    this.changed();
    this.showFacts(drawing);
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => void this.ask(drawing), WAIT);
  }

  /** @param {Drawing} drawing */
  async ask(drawing) {
    const number = ++this.number;
    try {
      const known = await check(drawing.plain);
      if (number !== this.number) return;
      this.known = known;
      const { problems, remarks, position } = known;
      const good = problems.length ? [] : [finding("good", position ? "Ready to play." : "Ready to be saved.")];
      fill(
        this.list,
        ...problems.map((text) => finding("problem", text)),
        ...good,
        ...remarks.map((text) => finding("remark", text)),
      );
    } catch (error) {
      if (number !== this.number) return;
      fill(this.list, finding("problem", error instanceof Error ? error.message : String(error)));
    }
    this.changed();
  }

  /** @param {Drawing} drawing */
  showFacts({ rows, columns, groups }) {
    const all = [...groups.values()];
    const houses = all.filter(({ kind }) => kind === "humans");
    const people = houses.reduce((sum, { count }) => sum + count, 0);
    const size = (/** @type {string} */ kind) => all.find((group) => group.kind === kind)?.count ?? 0;
    const facts = [
      `${plural(rows, "row")} × ${plural(columns, "column")}`,
      `${plural(houses.length, "house")} with ${plural(people, "human")}`,
      `${size("vampires")} Vampires against ${size("werewolves")} Werewolves`,
    ];
    fill(this.facts, facts.join(" · "));
  }

  close() {
    clearTimeout(this.timer);
    this.number += 1;
  }
}

/** @param {"problem" | "remark" | "good"} kind @param {string} text */
function finding(kind, text) {
  const sign = { problem: "✕", remark: "!", good: "✓" }[kind];
  const word = { problem: "Problem: ", remark: "To know: ", good: "" }[kind];
  return h(
    "li",
    { class: kind },
    h("span", { "aria-hidden": "true" }, sign),
    h("span", {}, word && h("span", { class: "unseen" }, word), capital(text)),
  );
}

/** @param {string} text */
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
