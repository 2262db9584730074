// @ts-check
// The map that was drawn last in this browser: saved while it is drawn, for the pages that play on it or serve it.
/** @import {DrawnMap} from "./messages" */
import { LARGEST } from "./editor_map.js";
import { remember, remembered } from "./settings.js";

const MOST_KEPT = 200_000;

/** @returns {DrawnMap | null} nothing where none was drawn yet, or by another version */
export function draft() {
  try {
    /** @type {DrawnMap} */
    const map = JSON.parse(remembered("draft", ""));
    return [map.rows, map.columns].every((size) => Number.isInteger(size) && size >= 1 && size <= LARGEST) ? map : null;
  } catch {
    return null;
  }
}

/** @param {DrawnMap} map */
export function keepDraft(map) {
  const kept = JSON.stringify(map);
  if (kept.length < MOST_KEPT) remember("draft", kept);
}
