// @ts-check
// The keys of the games that were started in this browser: the holder of a key may act for that side.
/** @import {Rights} from "./types" */

const NAME = "noctagon.rights";
const MOST = 60;

/** @returns {Rights[]} */
function all() {
  try {
    const found = JSON.parse(localStorage.getItem(NAME) ?? "[]");
    return Array.isArray(found) ? found : [];
  } catch {
    return [];
  }
}

/** @param {Rights} rights */
export function keep(rights) {
  const others = all().filter((one) => one.id !== rights.id);
  try {
    localStorage.setItem(NAME, JSON.stringify([rights, ...others].slice(0, MOST)));
  } catch {
    session.set(rights.id, rights); // private windows may refuse to store
  }
}

/** @type {Map<string, Rights>} */
const session = new Map();

/** @param {string} id @returns {Rights | null} */
export function rightsTo(id) {
  return session.get(id) ?? all().find((one) => one.id === id) ?? null;
}
