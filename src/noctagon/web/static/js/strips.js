// @ts-check
// Strips of a chart, one in each row of a table, as in a tournament's report: positions along them are in percent.
import { svg } from "./element.js";

const MOST_BEYOND = 400;
/** Lines of the scale of ratings: their numbers stand side by side in a narrow column. */
const FEW = 3;

/** @typedef {{low: number, high: number, ticks: number[]}} Scale what the borders stand for, and where lines are drawn */

/** @param {number} low @param {number} high @param {number} [ticks] approximate number of lines at round numbers @returns {Scale} */
export function scale(low, high, ticks = 5) {
  if (high - low < 1e-9) [low, high] = [low - 1, high + 1];
  const power = 10 ** Math.floor(Math.log10((high - low) / ticks));
  const step =
    power * /** @type {number} */ ([1, 2, 5, 10].find((factor) => (high - low) / (power * factor) <= ticks + 1));
  const marks = [];
  for (let mark = Math.ceil(low / step - 1e-9); mark <= Math.floor(high / step + 1e-9); mark++) marks.push(mark * step);
  return { low, high, ticks: marks };
}

/** The scale of ratings with their errors. @param {{elo: number | null, error: number | null}[]} rows */
export function ratingScale(rows) {
  const rated = rows.flatMap(({ elo, error }) => (elo === null ? [] : [{ elo, error }]));
  if (!rated.length) return scale(-100, 100);
  const lowest = Math.min(...rated.map(({ elo }) => elo));
  const highest = Math.max(...rated.map(({ elo }) => elo));
  const low = Math.max(lowest - MOST_BEYOND, Math.min(...rated.map(({ elo, error }) => elo - (error ?? 0))));
  const high = Math.min(highest + MOST_BEYOND, Math.max(...rated.map(({ elo, error }) => elo + (error ?? 0))));
  const margin = 0.03 * (high - low) + 5;
  return scale(Math.min(low, lowest) - margin, Math.max(high, highest) + margin, FEW);
}

/** @param {Scale} on @param {number} value */
const at = (on, value) => `${(100 * Math.min(1, Math.max(0, (value - on.low) / (on.high - on.low)))).toFixed(2)}%`;

/** @param {Scale} on */
const grid = (on) =>
  on.ticks.map((tick) => svg("line", { class: "grid", x1: at(on, tick), x2: at(on, tick), y1: 0, y2: "100%" }));

/** A rating as a dot with its error bar. @param {Scale} on @param {number | null} elo @param {number | null} error */
export function ratingStrip(on, elo, error) {
  if (elo === null) return svg("svg", { class: "strip", "aria-hidden": "true" }, ...grid(on));
  const ends = error === null ? [on.low, on.high] : [elo - error, elo + error];
  const caps = ends
    .filter((end) => end > on.low && end < on.high)
    .map((end) => svg("line", { class: "error-bar", x1: at(on, end), x2: at(on, end), y1: "30%", y2: "70%" }));
  const bar = svg("line", { class: "error-bar", x1: at(on, ends[0]), x2: at(on, ends[1]), y1: "50%", y2: "50%" });
  return svg(
    "svg",
    { class: "strip", "aria-hidden": "true" },
    ...grid(on),
    bar,
    ...caps,
    svg("circle", { class: "dot", cx: at(on, elo), cy: "50%", r: "0.36em" }),
  );
}

/** An Elo with its sign. @param {number} elo */
export const signed = (elo) => (Math.round(elo) === 0 ? "0" : `${elo > 0 ? "+" : "−"}${Math.abs(Math.round(elo))}`);

/** The numbers under a column of strips. @param {Scale} on */
export function axis(on) {
  return svg(
    "svg",
    { class: "strip axis", "aria-hidden": "true" },
    ...on.ticks.map((tick, place) =>
      svg("text", { class: place % 2 ? "tick odd" : "tick", x: at(on, tick), y: "1.1em", text: signed(tick) }),
    ),
  );
}

/** Two shares as two bars, the half marked. @param {(number | null | undefined)[]} shares */
export function sideStrip(shares) {
  const whole = { low: 0, high: 1, ticks: [0.5] };
  const bars = shares.flatMap((share, side) =>
    share === null || share === undefined
      ? []
      : [
          svg("rect", {
            class: `bar ${side ? "cool" : "warm"}`,
            x: 0,
            y: side ? "56%" : "14%",
            width: at(whole, share),
            height: "30%",
            rx: 2,
          }),
        ],
  );
  return svg("svg", { class: "strip", "aria-hidden": "true" }, ...bars, ...grid(whole));
}
