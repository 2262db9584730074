// @ts-check
// A line across the page when the server cannot be reached or something has failed.
import { h, say } from "./element.js";

/** @typedef {{text: string, kind: "warning" | "error"}} Message */

const A_WHILE = 6000;

export class Banner {
  constructor() {
    this.text = h("span");
    this.element = h("div", { class: "banner", role: "status", hidden: true }, this.text);
    /** @type {Message | null} the message that holds until it is cleared */
    this.lasting = null;
    this.timer = 0;
  }

  /** @param {string} text @param {"warning" | "error"} [kind] */
  show(text, kind = "warning") {
    this.lasting = { text, kind };
    this.tell(this.lasting);
  }

  /** Show a problem for a while, then again the message that held before, if it still does. @param {unknown} problem */
  complain(problem) {
    this.tell({ text: problem instanceof Error ? problem.message : String(problem), kind: "error" });
    this.timer = window.setTimeout(() => this.tell(this.lasting), A_WHILE);
  }

  hide() {
    this.lasting = null;
    this.tell(null);
  }

  /** @param {Message | null} message */
  tell(message) {
    clearTimeout(this.timer);
    this.element.hidden = !message;
    if (!message) return;
    say(this.text, message.text);
    this.element.className = `banner ${message.kind}`;
  }
}
