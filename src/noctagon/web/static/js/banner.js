// @ts-check
// A line across the page when the server cannot be reached, or when something went wrong.
import { h, say } from "./element.js";

export class Banner {
  constructor() {
    this.text = h("span");
    this.element = h("div", { class: "banner", role: "status", hidden: true }, this.text);
    this.timer = 0;
  }

  /** @param {string} text @param {"warning" | "error"} [kind] */
  show(text, kind = "warning") {
    clearTimeout(this.timer);
    say(this.text, text);
    this.element.className = `banner ${kind}`;
    this.element.hidden = false;
  }

  /** For a while only. @param {unknown} problem */
  complain(problem) {
    this.show(problem instanceof Error ? problem.message : String(problem), "error");
    this.timer = window.setTimeout(() => this.hide(), 6000);
  }

  hide() {
    clearTimeout(this.timer);
    this.element.hidden = true;
  }
}
