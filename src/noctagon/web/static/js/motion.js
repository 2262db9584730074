// @ts-check
// The animation of a turn: pieces slide along its arrows, strikes lunge, battles flash. The browser animates; no script runs a frame.
/** @import {TurnFrame} from "./messages" */
/** @import {Content} from "./types" */
/** @import {Board} from "./board.js" */
import { svg } from "./element.js";
import { CELL, pill } from "./shapes.js";
import { legible } from "./overlay.js";

export const reduced = matchMedia("(prefers-reduced-motion: reduce)");

/** @param {number} x @param {number} y */
const at = (x, y) => `translate(${x}px, ${y}px)`;

/** Return whether an arrow is a move rather than a blow, a repair or a blast, whose texts have a sign. @param {TurnFrame["arrows"][number]} arrow */
const goes = ([x, y, tx, ty, text]) => (x !== tx || y !== ty) && !/^[−+-]/.test(text);

/**
 * Show a turn on a board that still has the position before it. Cells change when the moving pieces arrive.
 * @param {Board} board @param {TurnFrame} frame @param {number} duration in milliseconds
 */
export function playTurn(board, frame, duration) {
  const ways = frame.arrows.filter(goes);
  const strikes = frame.arrows.filter((arrow) => !goes(arrow));
  const sources = new Set(ways.map(([x, y]) => board.index(x, y)));
  const leaving = ways.map((way) => board.contentAt(way[0], way[1]));
  const counts = new Map(frame.changes.map(([x, y]) => [board.index(x, y), board.contentAt(x, y)?.count ?? 0]));
  const timing = { duration, easing: "cubic-bezier(.3,.1,.2,1)" };
  const slides = ways.flatMap((way, number) => {
    const content = leaving[number];
    return content ? [slide(board, way, content, timing)] : [];
  });
  board.apply(frame.changes.filter(([x, y]) => sources.has(board.index(x, y))));
  for (const strike of strikes) lunge(board, strike, timing);
  const arrive = () => {
    for (const piece of slides) board.retire(piece);
    board.apply(frame.changes);
    for (const [, , tx, ty] of ways) pop(board, tx, ty);
    for (const { x, y } of frame.battles) if (x !== null && y !== null) flash(board, x, y);
    if (strikes.length)
      for (const [x, y, , , count] of frame.changes) floatBy(board, x, y, count - (counts.get(board.index(x, y)) ?? 0));
  };
  board.later(arrive, strikes.length && !ways.length ? duration * 0.5 : duration * 0.92);
}

/** @param {Board} board @param {TurnFrame["arrows"][number]} way @param {Content} content @param {KeyframeAnimationOptions} timing */
function slide(board, [x, y, tx, ty, text], content, timing) {
  const count = Number(text) || content.count;
  const piece = board.extra({ ...content, count, label: content.label.replace(/\d+$/, String(count)) });
  piece.place(tx, ty);
  piece.animate([{ transform: at(x * CELL, y * CELL) }, { transform: at(tx * CELL, ty * CELL) }], timing);
  return piece;
}

/** @param {Board} board @param {TurnFrame["arrows"][number]} strike @param {KeyframeAnimationOptions} timing */
function lunge(board, [x, y, tx, ty], timing) {
  const piece = board.pieceAt(x, y);
  if (!piece) return;
  if (x === tx && y === ty) {
    flash(board, x, y);
    return;
  }
  const home = at(x * CELL, y * CELL);
  const near = at((x + (tx - x) * 0.35) * CELL, (y + (ty - y) * 0.35) * CELL);
  piece.animate([{ transform: home }, { transform: near, offset: 0.45 }, { transform: home }], timing);
}

/** Let a group that grew or arrived swell for a moment. @param {Board} board @param {number} x @param {number} y */
function pop(board, x, y) {
  const piece = board.pieceAt(x, y);
  if (!piece) return;
  const size = (/** @type {number} */ s) =>
    `translate(${(x + 0.5) * CELL}px, ${(y + 0.5) * CELL}px) scale(${s}) translate(-50px, -50px)`;
  piece.animate([{ transform: size(1) }, { transform: size(1.14) }, { transform: size(1) }], {
    duration: 240,
    easing: "ease-out",
  });
}

/** A ring of light where blows fell. @param {Board} board @param {number} x @param {number} y */
function flash(board, x, y) {
  const ring = svg("circle", { class: "flash", cx: (x + 0.5) * CELL, cy: (y + 0.5) * CELL, r: 50 });
  board.effects.append(ring);
  const play = ring.animate(
    [
      { transform: "scale(.4)", opacity: 1 },
      { transform: "scale(1.7)", opacity: 0 },
    ],
    { duration: 650, easing: "ease-out" },
  );
  play.onfinish = play.oncancel = () => ring.remove();
}

/** Show what a piece won or lost, rising from its cell. @param {Board} board @param {number} x @param {number} y @param {number} by */
function floatBy(board, x, y, by) {
  if (!by) return;
  const text = by > 0 ? `+${by}` : `−${-by}`;
  const label = pill(
    text,
    (x + 0.5) * CELL,
    (y + 0.3) * CELL,
    legible(board.pixels, 26),
    `delta ${by > 0 ? "gain" : "loss"}`,
  );
  board.effects.append(label);
  const play = label.animate(
    [
      { transform: at(0, 14), opacity: 0 },
      { transform: at(0, 0), opacity: 1, offset: 0.2 },
      { transform: at(0, -6), opacity: 1, offset: 0.75 },
      { transform: at(0, -24), opacity: 0 },
    ],
    { duration: 1300 },
  );
  play.onfinish = play.oncancel = () => label.remove();
}
