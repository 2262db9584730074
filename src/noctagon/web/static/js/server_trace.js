// @ts-check
// The packets and turns of a server as they come: asked for only while the trace is open.
/** @import {ServerView} from "./messages" */
import { h } from "./element.js";
import { Poll } from "./poll.js";

const WAIT = 700;
const MOST = 1000;

export class Trace {
  /** @param {string} id of the server */
  constructor(id) {
    this.id = id;
    this.lines = 0;
    /** @type {string[]} */
    this.shown = [];
    /** @type {Poll | null} */
    this.poll = null;
    this.text = h("pre", { class: "trace", tabindex: "0", "aria-label": "Packets and turns, the newest below" });
    this.element = h(
      "details",
      { class: "trace-part", on: { toggle: () => this.toggled() } },
      h("summary", {}, "Packets and turns"),
      this.text,
    );
  }

  toggled() {
    this.close();
    if (!this.element.open) return;
    this.poll = new Poll(
      () => `/servers/${encodeURIComponent(this.id)}?after=${this.lines}`,
      WAIT,
      (server) => this.receive(server),
      () => {},
    );
    void this.poll.ask();
  }

  /** @param {ServerView} server */
  receive(server) {
    if (server.lines === this.lines) return;
    const down = this.text.scrollHeight - this.text.scrollTop - this.text.clientHeight < 30;
    this.lines = server.lines;
    this.shown.push(...server.trace);
    this.shown.splice(0, this.shown.length - MOST);
    this.text.textContent = this.shown.join("\n");
    if (down) this.text.scrollTop = this.text.scrollHeight;
  }

  close() {
    this.poll?.close();
    this.poll = null;
  }
}
