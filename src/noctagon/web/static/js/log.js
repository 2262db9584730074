// @ts-check
// The turns of a game as a list: to read, to be read out, and to go back by.
/** @import {TurnFrame, View} from "./messages" */
/** @import {Faces} from "./types" */
/** @import {Viewer} from "./viewer.js" */
import { h } from "./element.js";
import { percent, resultText } from "./names.js";
import { sideTint } from "./symbols.js";

/** A turn in words. @param {TurnFrame} frame @param {View} view */
export function turnText(frame, view) {
  if (frame.skipped) return `${view.sides[frame.side]} lost the turn (${frame.skipped})`;
  return `${view.sides[frame.side]}: ${frame.action}`;
}

/** @param {TurnFrame["battles"][number]} battle */
export function battleText(battle) {
  const odds = battle.odds === null || battle.odds === undefined ? "" : `${percent(battle.odds)}: `;
  return `${odds}${battle.detail || `${battle.text}, ${battle.won ? "won" : "lost"}`}`;
}

export class Log {
  /** @param {Viewer} viewer @param {Faces} faces */
  constructor(viewer, faces) {
    this.viewer = viewer;
    this.faces = faces;
    this.list = h("ol", { class: "turns" });
    /** Texts to be read out next. @type {string[]} */
    this.news = [];
    this.voice = h("p", { class: "unseen", role: "log", "aria-live": "polite" });
    this.element = h("section", { class: "card log" }, h("h2", {}, "Turns"), this.list);
    /** @type {HTMLElement[]} */
    this.rows = [];
    /** @type {HTMLElement | undefined} */
    this.shown = undefined;
    this.update();
  }

  /** Have a text read out, together with all others of this moment. @param {string} text */
  announce(text) {
    this.news.push(text);
    if (this.news.length > 1) return;
    queueMicrotask(() => {
      this.voice.textContent = this.news.join(" ");
      this.news = [];
    });
  }

  /** Read out a turn that was just played. @param {TurnFrame} frame */
  heard(frame) {
    const { view } = this.viewer.history;
    const parts = [
      turnText(frame, view),
      ...frame.battles.map(battleText),
      `${view.sides[0]} ${frame.score[0]}, ${view.sides[1]} ${frame.score[1]}`,
    ];
    if (frame.result) parts.push(resultText(frame.result));
    this.announce(`${parts.join(". ")}.`);
  }

  /** Show a new history. */
  reset() {
    this.rows = [];
    this.list.replaceChildren();
    this.update();
  }

  update() {
    const { history, n } = this.viewer;
    while (this.rows.length > history.length) this.rows.pop()?.remove();
    for (let i = this.rows.length; i < history.length; i++) {
      const row = this.row(history.frames[i]);
      this.rows.push(row);
      this.list.prepend(row);
    }
    this.element.hidden = !history.length;
    const shown = this.rows[n - 1];
    if (shown !== this.shown) {
      this.shown?.removeAttribute("aria-current");
      shown?.setAttribute("aria-current", "true");
      this.shown = shown;
    }
  }

  /** @param {TurnFrame} frame */
  row(frame) {
    const { view } = this.viewer.history;
    const battles = frame.battles.map((battle) =>
      h("small", { class: battle.won ? "won" : "lost" }, battleText(battle)),
    );
    const text = frame.skipped ? `lost the turn: ${frame.skipped}` : frame.action;
    const button = h(
      "button",
      {
        type: "button",
        class: sideTint(this.faces, view.sides, frame.side),
        on: { click: () => this.viewer.scrub(frame.n) },
      },
      h("i", {}, frame.n),
      h("span", {}, text, ...battles),
      h("em", {}, `${frame.score[0]} : ${frame.score[1]}`),
    );
    return h("li", {}, button);
  }
}
