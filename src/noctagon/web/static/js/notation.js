// @ts-check
// A position as the text that the API takes: what stands where, who is to move, how many turns were played.
/** @import {Content} from "./types" */
/** @import {History} from "./history.js" */

/** @param {History} history @param {number} [n] after how many turns; the present by default */
export function positionText(history, n = history.length) {
  const { view } = history;
  const content = n === history.length ? history.last : history.at(n);
  const ply = view.ply + n;
  const mover = view.sides[history.mover(n)];
  return view.game === "wargame" ? units(view.rows * view.columns, content, mover, ply) : groups(history, content, mover, ply);
}

/** `dA9 . aV3 … a 12`: the cells row by row. @param {number} cells @param {Map<number, Content>} content @param {string} mover @param {number} ply */
function units(cells, content, mover, ply) {
  const labels = Array.from({ length: cells }, (_, cell) => content.get(cell)?.label ?? ".");
  return [...labels, mover[0].toLowerCase(), ply].join(" ");
}

/** `5x10 H2,2:4 V4,3:4 W4,1:4 V 0`. @param {History} history @param {Map<number, Content>} content @param {string} mover @param {number} ply */
function groups({ view }, content, mover, ply) {
  const pieces = [...content].map(
    ([index, { kind, count }]) => `${kind[0].toUpperCase()}${index % view.columns},${Math.floor(index / view.columns)}:${count}`,
  );
  const first = view.sides[0] === "Werewolves" ? ["first=W"] : [];
  return [`${view.rows}x${view.columns}`, ...pieces, mover[0], ply, ...first].join(" ");
}
