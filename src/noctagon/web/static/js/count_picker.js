// @ts-check
// The picker of a group's size: a slider, a few buttons, and digits typed one after the other.
import { h, say } from "./element.js";

const TYPING = 1200;

export class CountPicker {
  /** @param {(count: number) => void} changed */
  constructor(changed) {
    this.changed = changed;
    this.most = 1;
    this.typed = "";
    this.typedAt = 0;
    this.slider = h("input", {
      type: "range",
      min: 1,
      max: 1,
      value: 1,
      "aria-label": "How many go",
      on: { input: () => this.choose(Number(this.slider.value)) },
    });
    this.output = h("output", { class: "how-many" });
    const part = (/** @type {string} */ name, /** @type {() => number} */ of) =>
      h("button", { type: "button", class: "small-button", on: { click: () => this.choose(of()) } }, name);
    this.element = h(
      "div",
      { class: "count-picker" },
      h("div", { class: "count-row" }, this.slider, this.output),
      h(
        "div",
        { class: "count-row" },
        part("One", () => 1),
        part("Half", () => Math.ceil(this.most / 2)),
        part("All − 1", () => this.most - 1),
        part("All", () => this.most),
      ),
    );
  }

  get count() {
    return Number(this.slider.value);
  }

  /** Begin with a group of `most`: all of them go unless the person picks fewer. @param {number} most */
  reset(most) {
    this.most = most;
    this.typed = "";
    this.slider.max = String(most);
    this.slider.value = String(most);
    this.label();
  }

  /** @param {number} count */
  choose(count) {
    const before = this.slider.dataset.told;
    this.slider.value = String(Math.max(1, Math.min(this.most, count)));
    this.label();
    if (this.slider.value !== before) this.changed(this.count);
  }

  /** @param {string} digit */
  type(digit) {
    const now = performance.now();
    const longer = now - this.typedAt < TYPING ? this.typed + digit : digit;
    this.typed = Number(longer) > this.most && longer.length > 1 ? digit : longer;
    this.typedAt = now;
    if (Number(this.typed) > 0) this.choose(Number(this.typed));
  }

  label() {
    this.slider.dataset.told = this.slider.value;
    say(this.output, `${this.slider.value} of ${this.most}`);
  }
}
