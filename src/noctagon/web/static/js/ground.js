// @ts-check
// The ground under the pieces: checks, lines and the names of rows and columns.
/** @import {View} from "./messages" */
import { svg } from "./element.js";
import { CELL, DIGIT, set } from "./shapes.js";

/** The width of the strip for the labels, in the board's units. @param {View} view */
export const margin = (view) => 4 * Math.max(view.rows, view.columns) + 8;

/** Return the distance between labelled rows or columns: on a large board only some have room for a label. @param {number} count @param {number} room that a name takes */
const labelStep = (count, room) => (count > 15 ? ([5, 10, 20].find((step) => step * CELL > 1.2 * room) ?? 50) : 1);

/** @param {View} view */
export function ground(view) {
  const width = view.columns * CELL;
  const height = view.rows * CELL;
  const checks = Array.from({ length: view.rows }, (_, row) => `M${CELL * (row % 2)} ${CELL * (row + 0.5)}H${width}`);
  const across = Array.from({ length: view.rows + 1 }, (_, row) => `M0 ${row * CELL}H${width}`);
  const down = Array.from({ length: view.columns + 1 }, (_, column) => `M${column * CELL} 0V${height}`);
  return svg(
    "g",
    { class: "ground" },
    svg("rect", { class: "cells", width, height }),
    svg("path", { class: "checks", "stroke-width": CELL, "stroke-dasharray": CELL, d: checks.join("") }),
    svg("path", { class: "lines", d: [...across, ...down].join("") }),
    ...labels(view),
  );
}

/** @param {View} view */
function labels(view) {
  const size = margin(view) * 0.44;
  const found = [];
  for (
    let column = 0;
    column < view.columns;
    column += labelStep(view.columns, size * DIGIT * String(view.columns).length)
  ) {
    const label = svg("text", { class: "label", text: view.column_labels[column] ?? column });
    set(label, { x: (column + 0.5) * CELL, y: -size * 0.6 });
    label.style.fontSize = `${size}px`;
    found.push(label);
  }
  for (let row = 0; row < view.rows; row += labelStep(view.rows, size)) {
    const label = svg("text", { class: "label row", text: view.row_labels[row] ?? row });
    set(label, { x: -size * 0.5, y: (row + 0.5) * CELL + size * 0.35 });
    label.style.fontSize = `${size}px`;
    found.push(label);
  }
  return found;
}
