// @ts-check
// The drawings above the pieces: the arrows of a turn, of a plan, of a thought; the marks of battles.
/** @import {ArrowRow, BattleView, TurnFrame} from "./messages" */
import { svg } from "./element.js";
import { percent } from "./names.js";
import { CELL, arrowPoints, pill } from "./shapes.js";

/** @param {number} x */
const middle = (x) => (x + 0.5) * CELL;

/** The size of a text that is at least 11 pixels high on the screen. @param {number} pixels a cell's @param {number} usual */
export const legible = (pixels, usual) => Math.max(usual, (11 * CELL) / Math.max(pixels, 8));

/** Cells smaller than this many pixels have no room for a text beside an arrow. */
const WRITABLE = 17;

/** The cells of a turn, marked under the pieces. @param {ArrowRow[]} arrows */
export function touched(arrows) {
  const cells = new Map();
  for (const [x, y, tx, ty] of arrows) {
    cells.set(`${x},${y}`, [x, y]);
    cells.set(`${tx},${ty}`, [tx, ty]);
  }
  return [...cells.values()].map(([x, y]) =>
    svg("rect", { class: "touched", x: x * CELL, y: y * CELL, width: CELL, height: CELL }),
  );
}

/** @param {ArrowRow} row @param {number} pixels @param {string} [cls] */
export function arrow([x, y, tx, ty, text], pixels, cls = "") {
  const group = svg("g", { class: `way ${cls}` });
  if (x === tx && y === ty) {
    group.append(
      svg("rect", {
        class: "ring",
        x: x * CELL + 3,
        y: y * CELL + 3,
        width: CELL - 6,
        height: CELL - 6,
        rx: 16,
        "stroke-width": 7,
      }),
    );
  } else {
    const form = cls === "planned" ? { weight: 1.3, to: 0.16 } : {}; // a plan is seen beside the champion's, too
    group.append(
      svg("polygon", {
        class: "arrow",
        "stroke-width": 4,
        points: arrowPoints(middle(x), middle(y), middle(tx), middle(ty), form),
      }),
    );
  }
  if (text && pixels >= WRITABLE) {
    const towardsCount = ty > y && tx >= x; // which is in the lower right corner
    const along = x === tx && y === ty ? 0 : towardsCount ? 0.62 : 0.24;
    const up = x === tx && y === ty ? -0.5 : 0;
    group.append(
      pill(text, middle(x + (tx - x) * along), middle(y + (ty - y) * along + up), legible(pixels, 22), "amount-pill"),
    );
  }
  return group;
}

/** A thought's best line: an arrow a move, ever fainter, in the colour of who would play it. @param {ArrowRow[][]} line @param {string[]} tints of the plies */
export function lineOfThought(line, tints) {
  return line.slice(0, 6).flatMap((ply, number) =>
    ply.map(([x, y, tx, ty]) => {
      const way =
        x === tx && y === ty
          ? svg("circle", { class: "expected-ring", cx: middle(x), cy: middle(y), r: 46 })
          : svg("polygon", {
              class: "expected-arrow",
              points: arrowPoints(middle(x), middle(y), middle(tx), middle(ty), { weight: 0.75, from: 0.12, to: 0.12 }),
            });
      const group = svg("g", { class: `expected ${tints[number % 2]}` }, way);
      group.style.opacity = String(0.95 - number * 0.14);
      return group;
    }),
  );
}

/** Odds and outcome of the battles of a turn. @param {BattleView[]} battles @param {number} pixels */
export function battleMarks(battles, pixels) {
  return battles.flatMap((battle) => {
    const { x, y } = battle;
    if (x === null || y === null) return []; // a game without cells
    const sign = battle.won ? "✓" : "✗";
    const odds = battle.odds >= 1 ? "" : `${percent(battle.odds)} `;
    const size = legible(pixels, 21);
    const mark = pill(
      `${odds}${sign}`,
      middle(x),
      y * CELL + size * 0.62,
      size,
      `battle ${battle.won ? "won" : "lost"}`,
    );
    mark.prepend(svg("title", { text: battle.detail || battle.text }));
    return [mark];
  });
}

/** @typedef {{x: number, y: number, kind: string, text: string, chosen?: boolean, low?: boolean}} Hint `low`: its text is at the foot of the cell */

/** Return the marks of possible targets or choices, with their outcome. @param {Hint[]} hints @param {number} pixels */
export function hintMarks(hints, pixels) {
  const size = legible(pixels, 20);
  return hints.map(({ x, y, kind, text, chosen, low }) => {
    const group = svg("g", { class: `hint ${kind}${chosen ? " chosen" : ""}` });
    group.append(svg("rect", { x: x * CELL + 4, y: y * CELL + 4, width: CELL - 8, height: CELL - 8, rx: 14 }));
    if (text)
      group.append(
        pill(text, middle(x), low ? (y + 1) * CELL - size * 0.95 : y * CELL + size * 0.95, size, "hint-pill"),
      );
    return group;
  });
}
