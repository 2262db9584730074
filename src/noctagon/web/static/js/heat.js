// @ts-check
// Heat maps: tables of scores in which the colour repeats what the number in each cell says.
import { h } from "./element.js";

const CROWD = 14;
const THRONG = 30;

/**
 * @typedef {{share: number, text: string, small: string, says: string}} Heat a share between 0 and 1, as number and in words
 * @typedef {{name: string, place?: string}} Label
 */

/**
 * @param {Label[]} rows @param {Label[]} columns
 * @param {(row: number, column: number) => Heat | null | "self"} cell
 * @param {string} caption @param {string} between the word between row and column
 */
export function heat(rows, columns, cell, caption, between) {
  const crowded = columns.length > CROWD;
  const label = (/** @type {Label} */ { name, place }) => [place && h("i", {}, `${place} `), name];
  const head = columns.map((column) => h("th", { scope: "col" }, h("span", { title: column.name }, ...label(column))));
  const lines = rows.map((row, y) => {
    const cells = columns.map((column, x) => {
      const found = cell(y, x);
      if (found === "self") return h("td", { class: "self" });
      if (!found) return h("td", { class: "none" }, "·");
      const small = !crowded && found.small && h("small", {}, found.small);
      return h(
        "td",
        { class: `h${Math.round(10 * found.share)}`, title: `${row.name} ${between} ${column.name}: ${found.says}` },
        found.text,
        small,
      );
    });
    return h("tr", {}, h("th", { scope: "row", title: row.name }, ...label(row)), ...cells);
  });
  const size = columns.length > THRONG ? "throng" : crowded ? "crowd" : "few";
  return h(
    "div",
    { class: `box ${size}`, tabindex: "0", role: "region", "aria-label": caption },
    h(
      "table",
      { class: "heat" },
      h("caption", { class: "unseen" }, caption),
      h("thead", {}, h("tr", {}, h("td", {}), ...head)),
      h("tbody", {}, ...lines),
    ),
  );
}

/** Format points, with halves as ½. @param {number} value */
export function points(value) {
  const whole = Math.floor(value);
  if (value - whole === 0.5) return whole ? `${whole}½` : "½";
  return String(Math.round(value * 100) / 100);
}
