// @ts-check
// "What would the champion do here?": its best moves in the position shown, live while it searches, drawn and explained.
/** @import {AnalysedLine, AnalysisCreated, AnalysisRequest, AnalysisUpdate, ErrorMessage, QueuePlace, Snapshot} from "./messages" */
/** @import {Faces, PositionAt} from "./types" */
/** @import {Viewer} from "./viewer.js" */
import { Advice } from "./advice.js";
import { post } from "./api.js";
import { fill, h, say } from "./element.js";
import { count, percent } from "./names.js";
import { sentences } from "./reasons.js";
import { sideTint } from "./symbols.js";

const SECONDS = 8;
const LINES = 4;
/** Milliseconds at a position before it is searched. */
const PATIENCE = 300;
/** Code of a socket that is closed after its last message, an error included. */
const DONE = 1000;

export class Analysis {
  /** @param {Viewer} viewer @param {Snapshot} snapshot @param {Faces} faces @param {PositionAt} positionAt */
  constructor(viewer, snapshot, faces, positionAt) {
    this.viewer = viewer;
    this.positionAt = positionAt;
    this.snapshot = snapshot;
    this.tints = [0, 1].map((side) => sideTint(faces, snapshot.sides, side));
    this.advice = new Advice(viewer.board, this.tints);
    this.on = false;
    this.timer = 0;
    /** Grows with every question, so that answers to older ones are ignored. */
    this.asked = 0;
    /** @type {WebSocket | null} */
    this.socket = null;
    /** @type {AnalysedLine[]} */
    this.lines = [];
    /** The line that is drawn and explained: the one that was chosen or pointed at. */
    this.chosen = 0;
    /** The position that is being searched. */
    this.place = "";
    /** Called when an analysis begins and ends. @type {(on: boolean) => void} */
    this.toggled = () => {};
    this.button = h(
      "button",
      { type: "button", class: "small-button primary", "aria-pressed": "false", on: { click: () => this.toggle() } },
      "Analyse",
    );
    this.state = h("p", { class: "search-state", role: "status" });
    this.list = h("ol", { class: "lines" });
    this.why = h("p", { class: "why", "aria-live": "polite" });
    this.element = h(
      "section",
      { class: "card analysis" },
      h("h2", {}, "What would the champion do?", this.button),
      this.state,
      this.list,
      this.why,
    );
    this.moved = () => this.follow();
    viewer.addEventListener("moved", this.moved);
  }

  toggle() {
    this.on = !this.on;
    this.button.setAttribute("aria-pressed", String(this.on));
    this.button.classList.toggle("primary", !this.on);
    say(this.button, this.on ? "Stop" : "Analyse");
    this.toggled(this.on);
    if (this.on) void this.ask();
    else this.stop();
  }

  /** Search the position that is shown now. */
  follow() {
    if (!this.on || this.here() === this.place) return;
    this.stop();
    say(this.state, "…");
    this.timer = window.setTimeout(() => void this.ask(), PATIENCE);
  }

  /** A key of the position that is shown. */
  here() {
    const { history, n } = this.viewer;
    return `${n} ${history.frame(n)?.action ?? ""}`;
  }

  stop() {
    this.asked += 1;
    this.place = "";
    clearTimeout(this.timer);
    this.socket?.close();
    this.socket = null;
    this.lines = [];
    this.chosen = 0;
    say(this.state, "");
    this.show();
  }

  async ask() {
    this.stop();
    const number = this.asked;
    const { history, n } = this.viewer;
    if (history.frame(n)?.result || (n === history.length && this.snapshot.result && !this.snapshot.live)) {
      say(this.state, "The game is over here.");
      return;
    }
    this.place = this.here();
    say(this.state, "beginning …");
    try {
      const position = await this.positionAt(n);
      /** @type {AnalysisRequest} */
      const wanted = {
        game: this.snapshot.game,
        position,
        rules: Object.keys(this.snapshot.rules).length ? this.snapshot.rules : undefined,
        time: SECONDS,
        lines: LINES,
      };
      /** @type {AnalysisCreated} */
      const { id } = await post("/analysis", wanted);
      if (number === this.asked) this.listen(id, number);
    } catch (problem) {
      if (number === this.asked) say(this.state, problem instanceof Error ? problem.message : String(problem));
    }
  }

  /** @param {string} id @param {number} number */
  listen(id, number) {
    const address = new URL(`/api/v1/analysis/${encodeURIComponent(id)}`, location.href);
    address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(address);
    this.socket = socket;
    socket.addEventListener("message", (event) => {
      if (number === this.asked) this.receive(JSON.parse(event.data));
    });
    socket.addEventListener("close", (event) => {
      if (number === this.asked && event.code !== DONE && !this.lines.length)
        say(this.state, event.reason || "The connection is lost: ask again.");
    });
  }

  /** @param {AnalysisUpdate | QueuePlace | ErrorMessage} message */
  receive(message) {
    if ("error" in message) say(this.state, message.error);
    else if ("queue" in message)
      say(this.state, message.queue === 1 ? "waiting: one is before you" : `waiting: ${message.queue} are before you`);
    else {
      this.lines = message.lines;
      const parts = [`depth ${message.depth}`, `${count(message.nodes)} positions`, `${message.seconds.toFixed(1)} s`];
      say(this.state, parts.join(" · ") + (message.done ? "" : " …"));
      this.show();
    }
  }

  show() {
    const side = this.viewer.history.mover(this.viewer.n);
    if (this.list.children.length !== this.lines.length)
      fill(this.list, ...this.lines.map((_, number) => h("li", {}, this.row(number))));
    this.lines.forEach((line, number) => {
      const button = /** @type {HTMLElement} */ (this.list.children[number].firstElementChild);
      button.setAttribute("aria-pressed", String(number === this.chosen));
      const stale = line.depth < this.lines[0].depth; // not searched at the latest depth yet
      button.className = `line-row ${this.tints[side]}${stale ? " stale" : ""}`;
      const [worth, depth, action, rest] = /** @type {HTMLElement[]} */ ([...button.children]);
      say(worth, line.chance === null || / in \d/.test(line.text) ? line.text : percent(line.chance));
      worth.title = line.text;
      say(depth, line.depth ? `depth ${line.depth}` : "");
      say(action, line.action);
      say(rest, line.line.slice(1, 6).join("  ›  "));
    });
    this.draw();
  }

  /** @param {number} number */
  row(number) {
    const choose = () => {
      this.chosen = number;
      this.show();
    };
    return h(
      "button",
      { type: "button", on: { click: choose, focus: choose, pointerenter: choose } },
      h("b", {}),
      h("small", { class: "depth" }),
      h("span", { class: "action" }),
      h("small", {}),
    );
  }

  /** Draw the chosen line as arrows, and explain it. */
  draw() {
    const line = this.lines[this.chosen];
    if (!line) {
      this.advice.clear();
      fill(this.why);
      return;
    }
    const side = this.viewer.history.mover(this.viewer.n);
    this.advice.show(line.arrows.slice(0, 4), side);
    const best = this.chosen === 0;
    /** @type {AnalysedLine | undefined} */
    const rival = this.lines[best ? 1 : 0];
    const other = rival ? { name: rival.action, terms: rival.reasons, liked: !best } : null;
    fill(this.why, h("b", {}, `Why ${line.action}? `), sentences(line.reasons, other).join(" "));
  }

  close() {
    this.stop();
    this.viewer.removeEventListener("moved", this.moved);
  }
}
