// @ts-check
// The counts of both sides over time, and under them the gains and losses of each turn. A new turn adds a point; nothing is redrawn.
/** @import {Faces} from "./types" */
/** @import {Viewer} from "./viewer.js" */
import { h, say, svg } from "./element.js";
import { sideTint } from "./symbols.js";

const SHORTEST = 12;

export class Graph {
  /** @param {Viewer} viewer @param {Faces} faces */
  constructor(viewer, faces) {
    this.viewer = viewer;
    this.drawn = 0;
    this.most = 1;
    this.swing = 1;
    this.paths = ["", ""];
    this.strokes = ["", ""];
    const { sides } = viewer.history.view;
    const tints = [0, 1].map((side) => sideTint(faces, sides, side));
    this.lines = tints.map((tint) => svg("path", { class: `curve ${tint}` }));
    this.areas = tints.map((tint) => svg("path", { class: `area ${tint}` }));
    this.bars = tints.map((tint) => svg("path", { class: `bars ${tint}` }));
    this.now = svg("line", { class: "now", y2: 0 });
    this.later = svg("line", { class: "now" });
    this.zero = svg("line", { class: "zero", x1: 0, y1: 0, y2: 0 });
    this.counts = svg("svg", { class: "counts", preserveAspectRatio: "none" }, ...this.areas, ...this.lines, this.now);
    this.changes = svg("svg", { class: "changes", preserveAspectRatio: "none" }, this.zero, ...this.bars, this.later);
    this.top = h("span", { class: "top" });
    const keys = tints.map((tint, side) => h("span", { class: `key ${tint}` }, sides[side]));
    const plot = h(
      "div",
      { class: "plot", role: "img", "aria-label": "Counts over time; below, what each turn won and lost" },
      this.top,
      this.counts,
      this.changes,
    );
    this.element = h(
      "section",
      { class: "card graph" },
      h("h2", {}, "Counts", h("span", { class: "keys" }, ...keys)),
      plot,
    );
    plot.addEventListener("pointerdown", (event) => {
      plot.setPointerCapture(event.pointerId);
      this.pick(event, plot);
    });
    plot.addEventListener("pointermove", (event) => {
      if (event.buttons) this.pick(event, plot);
    });
    this.reset();
  }

  /** @param {PointerEvent} event @param {HTMLElement} plot */
  pick(event, plot) {
    const box = plot.getBoundingClientRect();
    this.viewer.scrub(Math.round(((event.clientX - box.left) / box.width) * this.span));
  }

  get span() {
    return Math.max(SHORTEST, this.viewer.history.length);
  }

  reset() {
    this.drawn = 0;
    this.most = 1;
    this.swing = 1;
    this.paths = ["", ""];
    this.strokes = ["", ""];
    this.update();
  }

  /** Draw the new turns, and the mark of the turn that is shown. */
  update() {
    const { history, n } = this.viewer;
    if (history.length + 1 < this.drawn) {
      this.reset();
      return;
    }
    const fresh = this.drawn <= history.length;
    for (; this.drawn <= history.length; this.drawn++) this.point(this.drawn);
    if (fresh) this.draw();
    for (const line of [this.now, this.later]) {
      line.setAttribute("x1", String(n));
      line.setAttribute("x2", String(n));
    }
  }

  /** @param {number} n */
  point(n) {
    const { history } = this.viewer;
    const score = history.score(n);
    const before = n ? history.score(n - 1) : score;
    for (const side of [0, 1]) {
      this.most = Math.max(this.most, score[side]);
      this.paths[side] += `${n ? "L" : "M"}${n} ${-score[side]}`;
      const by = score[side] - before[side];
      this.swing = Math.max(this.swing, Math.abs(by));
      if (by) this.strokes[side] += `M${n - 0.65 + side * 0.3} 0V${-by}`;
    }
  }

  draw() {
    const { history } = this.viewer;
    const high = this.most * 1.08;
    this.counts.setAttribute("viewBox", `0 ${-high} ${this.span} ${high}`);
    this.changes.setAttribute("viewBox", `0 ${-this.swing * 1.1} ${this.span} ${this.swing * 2.2}`);
    this.zero.setAttribute("x2", String(this.span));
    for (const side of [0, 1]) {
      this.lines[side].setAttribute("d", this.paths[side]);
      this.areas[side].setAttribute("d", `${this.paths[side]}V0H0Z`);
      this.bars[side].setAttribute("d", this.strokes[side]);
    }
    this.now.setAttribute("y1", String(-high));
    this.later.setAttribute("y1", String(-this.swing * 1.1));
    this.later.setAttribute("y2", String(this.swing * 1.1));
    say(this.top, String(Math.round(this.most)));
    this.element.hidden = history.length === 0;
  }
}
