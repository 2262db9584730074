// @ts-check
// The players' thoughts: how deep, how many positions, the score, and the line they expect, in words and as arrows.
/** @import {ThoughtView} from "./messages" */
/** @import {Faces} from "./types" */
/** @import {LiveTable} from "./live.js" */
/** @import {Viewer} from "./viewer.js" */
import { h, say } from "./element.js";
import { count, shortNames } from "./names.js";
import { remember, remembered } from "./settings.js";
import { emblem, sideTint } from "./symbols.js";

export class Thinking {
  /** @param {Viewer} viewer @param {LiveTable} table @param {Faces} faces */
  constructor(viewer, table, faces) {
    this.viewer = viewer;
    this.table = table;
    const { players, sides, humans } = table.snapshot;
    this.tints = [0, 1].map((side) => sideTint(faces, sides, side));
    const names = shortNames(players);
    this.rows = [0, 1].map((side) => row(names[side], this.tints[side], emblem(faces, sides, side)));
    this.silent = humans.every(Boolean);
    this.hushed = false;
    this.toggle = h("input", { type: "checkbox", on: { change: () => this.toggled() } });
    this.toggle.checked = remembered("lines", "on") === "on";
    this.element = h(
      "section",
      { class: "card thinking", hidden: true },
      h("h2", {}, "What they think", h("label", { class: "switch" }, this.toggle, "lines on the board")),
      ...this.rows.filter((_, side) => !humans[side]).map((one) => one.element),
    );
    this.update();
  }

  toggled() {
    remember("lines", this.toggle.checked ? "on" : "off");
    this.update();
  }

  /** Hide the line on the board while a person chooses a turn. @param {boolean} hushed */
  hush(hushed) {
    if (this.hushed === hushed) return;
    this.hushed = hushed;
    this.update();
  }

  update() {
    const { history, n, following } = this.viewer;
    const present = following && n === history.length;
    /** @type {[ThoughtView | null, number]} */
    let newest = [null, 0];
    let any = false;
    for (const side of [0, 1]) {
      const now = present ? this.table.thinking[side] : null;
      const thought = now ?? history.thought(side, n);
      fillRow(this.rows[side], thought, Boolean(now));
      if (thought && tells(thought)) any = true;
      if (thought && (now || history.frame(n)?.side === side)) newest = [thought, side];
    }
    this.element.hidden = this.silent || (this.element.hidden && !any);
    const [thought, side] = newest;
    const line = this.toggle.checked && !this.hushed && thought?.arrows ? thought.arrows : [];
    const live = present && this.table.thinking[side] === thought;
    // A turn that was played is drawn already: only what was expected to follow is new.
    const shown = live ? line : line.slice(1);
    const first = live ? side : 1 - side;
    this.viewer.board.think(shown, [this.tints[first], this.tints[1 - first]]);
  }
}

/** Return whether a thought has any content: some players have none. @param {ThoughtView} thought */
const tells = (thought) => Boolean(thought.depth || thought.nodes || thought.line?.length || thought.note);

/** @param {string} name @param {string} tint @param {Element} picture */
function row(name, tint, picture) {
  const depth = h("b");
  const nodes = h("b");
  const score = h("b");
  const line = h("p", { class: "line" });
  const element = h(
    "div",
    { class: `mind ${tint}` },
    h("div", { class: "who" }, picture, name),
    h(
      "dl",
      {},
      h("div", {}, h("dt", {}, "depth"), h("dd", {}, depth)),
      h("div", {}, h("dt", {}, "positions"), h("dd", {}, nodes)),
      h("div", {}, h("dt", {}, "score"), h("dd", {}, score)),
    ),
    line,
  );
  return { element, depth, nodes, score, line };
}

/** @param {ReturnType<typeof row>} shown @param {ThoughtView | null} thought @param {boolean} now */
function fillRow(shown, thought, now) {
  say(shown.depth, thought?.depth ? String(thought.depth) : "–");
  say(shown.nodes, thought?.nodes ? count(thought.nodes) : "–");
  say(shown.score, thought?.text || "–");
  say(shown.line, thought?.line?.length ? thought.line.slice(0, 6).join("  ›  ") : (thought?.note ?? ""));
  shown.element.classList.toggle("busy", now);
}
