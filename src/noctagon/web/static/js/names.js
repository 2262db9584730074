// @ts-check
// Words for what the page shows: players, cells, numbers.
/** @import {ResultView, View} from "./messages" */

/** A player's name with its options, for people. @param {string} spec */
export function playerName(spec) {
  const [name, options = ""] = split(spec);
  return options ? `${name} (${options.replaceAll(",", ", ")})` : name;
}

/** The name without its options; a person's is "human", and so may be a program's. @param {string} spec */
export const shortName = (spec) => split(spec)[0];

/** Both players' names without their options, unless these tell them apart. @param {readonly string[]} specs */
export function shortNames(specs) {
  const names = specs.map(shortName);
  if (names[0] !== names[1]) return names;
  const options = specs.map((spec) =>
    spec.startsWith("cmd:") ? [split(spec)[1]] : split(spec)[1].split(",").filter(Boolean),
  );
  return names.map((name, side) =>
    [name, options[side].filter((option) => !options[1 - side]?.includes(option)).join(", ")].filter(Boolean).join(" "),
  );
}

/** Return the name of a person at a browser. @param {boolean} mine whether at this one */
export const personName = (mine) => (mine ? "You" : "a person");

/** @param {string} spec @returns {[string, string]} */
function split(spec) {
  const at = spec.startsWith("cmd:") ? 3 : spec.search(/:\w+=/); // what is no option is a class of a file
  return at < 0 ? [spec, ""] : [spec.slice(0, at), spec.slice(at + 1)];
}

/** A cell as players of the game call it. @param {View} view @param {number} x @param {number} y */
export function cellName(view, x, y) {
  return view.row_labels.length ? `${view.row_labels[y]}${view.column_labels[x]}` : `${x},${y}`;
}

/** @param {number} value */
export function count(value) {
  if (value >= 1e9) return `${(value / 1e9).toFixed(1)} G`;
  if (value >= 1e6) return `${(value / 1e6).toFixed(1)} M`;
  if (value >= 1e4) return `${(value / 1e3).toFixed(0)} k`;
  return String(value);
}

/** @param {number} seconds */
export function duration(seconds) {
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.round(seconds)} s`;
  return `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;
}

/** @param {number} odds */
export function percent(odds) {
  const rounded = Math.round(odds * 100);
  if (rounded === 100 && odds < 1) return ">99 %";
  if (rounded === 0 && odds > 0) return "<1 %";
  return `${rounded} %`;
}

/** @param {ResultView | null | undefined} result */
export const resultText = (result) => result?.text ?? "";

/** The same with the winner's name beside its side. @param {ResultView | null} result @param {readonly string[]} sides @param {readonly string[]} players */
export function namedResult(result, sides, players) {
  if (!result || result.winner === null) return resultText(result);
  return `${sides[result.winner]} (${players[result.winner]}) won: ${result.detail || result.reason}`;
}

/** Return the end of a recorded game in two words. @param {ResultView | null | undefined} result @param {readonly string[]} players */
export function endText(result, players) {
  if (!result) return "unfinished";
  if (result.winner !== null) return `${players[result.winner]} won`;
  return result.reason === "stopped" ? "stopped" : "draw";
}

/** @param {string} word @param {number} number */
export const plural = (number, word) => `${number} ${word}${number === 1 ? "" : "s"}`;
