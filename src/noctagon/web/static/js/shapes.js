// @ts-check
// The outlines of tiles, badges and arrows, as in the pictures that Python draws (svg.py); arrows end at the target's
// edge here, where a count may change any moment.
import { svg } from "./element.js";

export const CELL = 100;
/** Maximum width of a digit, as a fraction of the font size. */
export const DIGIT = 0.68;

/**
 * A box that tells the sides apart not by colour only: cut corners, round ones, nearly square ones.
 * @param {string} cls @param {string} tint @returns {SVGPolygonElement | SVGRectElement}
 */
export function box(cls, tint) {
  return tint === "warm" ? svg("polygon", { class: cls }) : svg("rect", { class: cls });
}

/**
 * @param {Element} element made by `box` @param {string} tint
 * @param {number} x @param {number} y @param {number} width @param {number} height @param {boolean} badge
 */
export function fit(element, tint, x, y, width, height, badge) {
  if (tint !== "warm") {
    const rounding = tint === "cool" ? (badge ? 0.5 : 0.38) : 0.12;
    set(element, { x, y, width, height, rx: height * rounding });
    return;
  }
  const cut = height * (badge ? 0.3 : 0.2);
  const right = x + width;
  const bottom = y + height;
  element.setAttribute(
    "points",
    `${x + cut},${y} ${right - cut},${y} ${right},${y + cut} ${right},${bottom - cut} ` +
      `${right - cut},${bottom} ${x + cut},${bottom} ${x},${bottom - cut} ${x},${y + cut}`,
  );
}

/** @param {Element} element @param {Record<string, number>} numbers */
export function set(element, numbers) {
  for (const name in numbers) element.setAttribute(name, String(Math.round(numbers[name] * 10) / 10));
}

/**
 * The outline of an arrow, from within its source to the edge of its target.
 * @param {number} x @param {number} y @param {number} tx @param {number} ty centres
 * @param {{weight?: number, from?: number, to?: number}} [form] how thick; how much of a cell is left free at its start and, at its end, in the direction of the axes
 */
export function arrowPoints(x, y, tx, ty, { weight = 1, from = 0.1, to = 0.46 } = {}) {
  const length = Math.hypot(tx - x, ty - y) || 1;
  const ux = (tx - x) / length;
  const uy = (ty - y) / length;
  const start = CELL * from;
  const end = length - (CELL * to) / Math.max(Math.abs(ux), Math.abs(uy), 0.5);
  const neck = end - CELL * 0.24;
  const half = CELL * 0.05 * weight;
  const wing = CELL * 0.15 * weight;
  const outline = [
    [start, -half],
    [neck, -half],
    [neck, -wing],
    [end, 0],
    [neck, wing],
    [neck, half],
    [start, half],
  ];
  return outline.map(([a, b]) => `${Math.round(x + ux * a - uy * b)},${Math.round(y + uy * a + ux * b)}`).join(" ");
}

/**
 * A short text in a pill.
 * @param {string} text @param {number} x @param {number} y @param {number} size @param {string} cls
 */
export function pill(text, x, y, size, cls) {
  const height = size * 1.4;
  const width = Math.max(height, text.length * DIGIT * size * 0.88 + size * 0.8);
  const group = svg("g", { class: cls });
  const back = svg("rect");
  set(back, { x: x - width / 2, y: y - height / 2, width, height, rx: height / 2 });
  const words = svg("text", { text });
  set(words, { x, y: y + size * 0.35, "font-size": size });
  group.append(back, words);
  return group;
}
