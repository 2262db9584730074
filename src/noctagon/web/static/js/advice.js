// @ts-check
// A line of moves drawn on a board as advice, apart from the players' own thoughts.
/** @import {ArrowRow} from "./messages" */
/** @import {Board} from "./board.js" */
import { svg } from "./element.js";
import { arrow, legible, lineOfThought } from "./overlay.js";
import { CELL, arrowPoints, pill } from "./shapes.js";

export class Advice {
  /** @param {Board} board @param {string[]} tints of the sides */
  constructor(board, tints) {
    this.board = board;
    this.tints = tints;
    this.layer = svg("g", { class: "thoughts advice" });
    board.plan.before(this.layer); // a person's plan is drawn above it
  }

  /** Draw a line: the first move boldly, the following ones fainter and fainter. @param {ArrowRow[][]} line arrows for each ply @param {number} side who plays the first */
  show(line, side) {
    const [first = [], ...rest] = line;
    const advised = first.map((row) => this.move(row, first, this.tints[side]));
    this.layer.replaceChildren(...lineOfThought(rest, [this.tints[1 - side], this.tints[side]]), ...advised);
  }

  /** A bold arrow, with its number where a group is divided. @param {ArrowRow} row @param {ArrowRow[]} all @param {string} tint */
  move(row, all, tint) {
    const [x, y, tx, ty, text] = row;
    if (x === tx && y === ty) return arrow(row, this.board.pixels, `advised ${tint}`);
    const middle = (/** @type {number} */ at) => (at + 0.5) * CELL;
    const group = svg(
      "g",
      { class: `way advised ${tint}` },
      svg("polygon", {
        class: "arrow",
        "stroke-width": 5,
        points: arrowPoints(middle(x), middle(y), middle(tx), middle(ty), { weight: 1.7, from: 0.3, to: 0.08 }),
      }),
    );
    if (all.filter((other) => other[0] === x && other[1] === y).length > 1 || /^[−+-]/.test(text)) {
      group.append(
        pill(
          text,
          middle(x + (tx - x) * 0.6),
          middle(y + (ty - y) * 0.6),
          legible(this.board.pixels, 20),
          "amount-pill",
        ),
      );
    }
    return group;
  }

  clear() {
    if (this.layer.firstChild) this.layer.replaceChildren();
  }
}
