// @ts-check
// A game as a small board with the players' names and counts above it and a line below.
/** @import {View} from "./messages" */
import { Board } from "./board.js";
import { h, say } from "./element.js";
import { emblem, facesOf, sideTint } from "./symbols.js";

export class SmallBoard {
  /** @param {View} view @param {Awaited<ReturnType<typeof facesOf>>} faces @param {[string, string]} players @param {string} label */
  constructor(view, faces, players, label) {
    this.board = new Board(view, faces, { label });
    this.counts = players.map(() => h("b"));
    this.names = players.map((name, side) =>
      h(
        "span",
        { class: `who ${sideTint(faces, view.sides, side)}` },
        emblem(faces, view.sides, side),
        h("span", {}, name),
        this.counts[side],
      ),
    );
    this.status = h("p", { class: "status" });
    this.element = h(
      "figure",
      { class: "small-board" },
      h("figcaption", {}, ...this.names),
      this.board.element,
      this.status,
    );
    this.show(view);
  }

  /** @param {View} view @param {[string, string]} players @param {string} label */
  static async make(view, players, label) {
    return new SmallBoard(view, await facesOf(view.game), players, label);
  }

  /** @param {View} view */
  show(view) {
    this.board.show(
      view.pieces.map(({ x, y, kind, side, count, label }) => [y * view.columns + x, { kind, side, count, label }]),
    );
    this.counts.forEach((count, side) => say(count, String(view.score[side])));
  }

  /** Set the address that a click on the board opens. @param {string} href @param {string} label */
  link(href, label) {
    const link = h("a", { href, "aria-label": label });
    this.board.element.replaceWith(link);
    link.append(this.board.element);
  }

  close() {
    this.board.close();
    this.element.remove();
  }
}
