// @ts-check
// The evaluation of a game as a graph: the champion's view of who was ahead, with marks on the mistakes.
/** @import {EvaluatedTurn} from "./messages" */
/** @import {Faces} from "./types" */
/** @import {Viewer} from "./viewer.js" */
import { Advice } from "./advice.js";
import { fill, h, svg } from "./element.js";
import { percent } from "./names.js";
import { sideTint } from "./symbols.js";

const SIGNS = { inaccuracy: "?!", mistake: "?", blunder: "??" };
/** Change of the chance to win from which dice count as lucky or unlucky. */
const LUCK = 0.1;
/** Changes smaller than this may be noise. */
const NOISE = 0.08;

export class EvaluationGraph {
  /** @param {Viewer} viewer @param {Faces} faces */
  constructor(viewer, faces) {
    this.viewer = viewer;
    const { sides } = viewer.history.view;
    this.sides = sides;
    this.tints = [0, 1].map((side) => sideTint(faces, sides, side));
    this.advice = new Advice(viewer.board, this.tints);
    /** @type {(EvaluatedTurn | undefined)[]} */
    this.points = [];
    this.second = svg("rect", { class: `territory ${this.tints[1]}`, x: 0, y: 0, height: 100 });
    this.first = svg("path", { class: `territory ${this.tints[0]}` });
    this.middle = svg("line", { class: "zero", x1: 0, y1: 50, y2: 50 });
    this.curve = svg("path", { class: "chance-curve" });
    this.now = svg("line", { class: "now", y1: 0, y2: 100 });
    this.picture = svg(
      "svg",
      { preserveAspectRatio: "none", "aria-hidden": "true" },
      this.second,
      this.first,
      this.middle,
      this.curve,
      this.now,
    );
    this.marks = h("div", { class: "marks" });
    this.plot = h("div", { class: "chances" }, this.picture, this.marks);
    this.says = h("p", { class: "says", "aria-live": "polite" });
    this.summary = h("p", { class: "summary" });
    /** The place for a button of the server's page. */
    this.tools = h("span", { class: "tools" });
    const keys = this.tints.map((tint, side) => h("span", { class: `key ${tint}` }, sides[side]));
    this.body = h(
      "div",
      { hidden: true },
      h("div", { class: "keys" }, keys[0], h("span", {}, "chance to win, as the champion sees it"), keys[1]),
      this.plot,
      this.says,
      this.summary,
    );
    this.element = h(
      "section",
      { class: "card evaluation", hidden: true },
      h("h2", {}, "Who was ahead", this.tools),
      this.body,
    );
    this.plot.addEventListener("pointerdown", (event) => this.pressed(event));
    this.plot.addEventListener("pointermove", (event) => {
      if (event.buttons) this.pick(event);
    });
  }

  /** @param {PointerEvent} event */
  pressed(event) {
    if (event.target instanceof HTMLButtonElement) return;
    this.plot.setPointerCapture(event.pointerId);
    this.pick(event);
  }

  /** @param {PointerEvent} event */
  pick(event) {
    const box = this.plot.getBoundingClientRect();
    this.viewer.scrub(Math.round(((event.clientX - box.left) / box.width) * this.span));
  }

  get span() {
    return Math.max(1, this.viewer.history.length);
  }

  /** Forget all points before a new evaluation. */
  reset() {
    this.points = [];
    this.draw();
  }

  /** @param {EvaluatedTurn[]} points */
  add(...points) {
    for (const point of points) this.points[point.n] = point;
    this.element.hidden = this.body.hidden = false;
    this.draw();
    this.update();
  }

  /**
   * Return the first side's chance after `n` turns as it is shown. The search slightly favours the side to move, so neighbouring chances alternate: that is smoothed, real changes are not.
   * @param {number} n
   */
  shown(n) {
    const here = this.points[n]?.chance ?? 0.5;
    const [before, after] = [this.points[n - 1]?.chance, this.points[n + 1]?.chance];
    if (before === undefined || after === undefined) return here;
    const even = (before + 2 * here + after) / 4;
    return Math.abs(even - here) < NOISE && Math.max(Math.abs(before - here), Math.abs(after - here)) < 2.5 * NOISE
      ? even
      : here;
  }

  draw() {
    const { span } = this;
    const known = this.points.filter((point) => point !== undefined);
    const path = known
      .map((point, at) => `${at ? "L" : "M"}${point.n} ${round(100 - this.shown(point.n) * 100)}`)
      .join("");
    const last = known.at(-1)?.n ?? 0;
    this.picture.setAttribute("viewBox", `0 0 ${span} 100`);
    this.second.setAttribute("width", String(last));
    this.middle.setAttribute("x2", String(span));
    this.curve.setAttribute("d", path);
    this.first.setAttribute("d", path ? `${path}V100H${known[0].n}Z` : "");
    fill(this.marks, ...known.filter((point) => point.mark).map((point) => this.mark(point)));
    this.count(known);
  }

  /** @param {EvaluatedTurn} point */
  mark(point) {
    const name = `Turn ${point.n + 1}, ${this.sides[point.side]}: ${point.mark}`;
    const button = h(
      "button",
      {
        type: "button",
        class: `mark ${point.mark} ${this.tints[point.side]}`,
        "aria-label": name,
        title: name,
        on: { click: () => this.viewer.scrub(point.n + 1) },
      },
      SIGNS[point.mark || "mistake"],
    );
    const after = this.points[point.n + 1] ? this.shown(point.n + 1) : (point.expected ?? point.chance);
    button.style.left = `${((point.n + 1) / this.span) * 100}%`;
    button.style.top = `${Math.min(88, Math.max(12, 100 - after * 100))}%`;
    return button;
  }

  /** @param {EvaluatedTurn[]} known */
  count(known) {
    const parts = this.sides.map((side, number) => {
      const counts = ["blunder", "mistake", "inaccuracy"].map((mark) => [
        mark,
        known.filter((point) => point.mark === mark && point.side === number).length,
      ]);
      const found = counts
        .filter(([, many]) => many)
        .map(([mark, many]) =>
          many === 1 ? `1 ${mark}` : `${many} ${mark === "inaccuracy" ? "inaccuracies" : `${mark}s`}`,
        );
      return `${side}: ${found.join(", ") || "nothing given away"}`;
    });
    this.summary.textContent = known.length > 1 ? parts.join(" · ") : "";
  }

  /** Update the mark of the turn that is shown, and its text. */
  update() {
    const { n } = this.viewer;
    this.now.setAttribute("x1", String(n));
    this.now.setAttribute("x2", String(n));
    this.advice.clear();
    if (this.body.hidden) return;
    const here = this.points[n];
    const turn = this.points[n - 1];
    fill(this.says, here ? this.standing(here) : "", ...(turn ? this.judgement(turn, here) : []));
    for (const button of this.marks.children) button.classList.remove("shown");
    if (turn?.mark)
      [...this.marks.children]
        .find((button) => button.getAttribute("aria-label")?.startsWith(`Turn ${n},`))
        ?.classList.add("shown");
  }

  /** @param {EvaluatedTurn} here */
  standing(here) {
    const chance = this.shown(here.n);
    const ahead = chance >= 0.5 ? 0 : 1;
    return h("b", { class: this.tints[ahead] }, `${this.sides[ahead]} ${percent(ahead ? 1 - chance : chance)}`);
  }

  /** Return whether dice were thrown in a turn: otherwise two looks at a position differ, and that is no luck. @param {number} n */
  thrown(n) {
    return Boolean(this.viewer.history.frame(n)?.battles.some(({ odds }) => odds !== null && odds < 1));
  }

  /** Return how much better for the mover the dice fell than expected. @param {EvaluatedTurn} turn @param {EvaluatedTurn} here */
  luck(turn, here) {
    return turn.expected === null ? 0 : (here.chance - turn.expected) * (turn.side ? -1 : 1);
  }

  /** @param {EvaluatedTurn} turn @param {EvaluatedTurn | undefined} here */
  judgement(turn, here) {
    /** @type {(Node | string)[]} */
    const said = [];
    if (turn.mark) {
      const article = turn.mark === "inaccuracy" ? "an" : "a";
      said.push(
        h("span", { class: `verdict-word ${turn.mark}` }, `${article} ${turn.mark}: gave away ${percent(turn.loss)} `),
      );
    }
    const luck = here && this.thrown(turn.n + 1) ? this.luck(turn, here) : 0;
    if (Math.abs(luck) >= LUCK)
      said.push(
        h("span", { class: "luck" }, luck > 0 ? `lucky dice: +${percent(luck)} ` : `unlucky dice: −${percent(-luck)} `),
      );
    if (turn.mark && turn.best) {
      said.push(
        h(
          "button",
          { type: "button", class: "small-button", on: { click: () => this.showBetter(turn) } },
          `Better: ${turn.best}`,
        ),
      );
    }
    return said.length ? [" · ", ...said] : said;
  }

  /** Go back to before the turn, and draw what the champion would have done. @param {EvaluatedTurn} turn */
  showBetter(turn) {
    this.viewer.scrub(turn.n);
    this.advice.show(turn.arrows.slice(0, 3), turn.side);
  }
}

/** @param {number} value */
const round = (value) => Math.round(value * 10) / 10;
