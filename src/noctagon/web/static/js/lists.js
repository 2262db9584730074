// @ts-check
// Lists of games and tournaments, with a friendly word where there are none.
/** @import {Listed} from "./types" */
import { list } from "./api.js";
import { h } from "./element.js";
import { endText, resultText, shortNames } from "./names.js";

/** Games that are being played or ended not long ago. @returns {Promise<HTMLElement>} */
export async function recentGames() {
  /** @type {Listed[]} */
  const tables = (await list("/tables", "tables")).slice(0, 12);
  if (!tables.length) return empty("No games yet. Start one: it will be listed here.");
  const rows = tables.map((table) => {
    const ended = resultText(table.result, table.sides);
    const state = table.live ? h("span", { class: "live" }, "live") : h("span", { class: "ended" }, ended.split(":")[0]);
    return h("li", {}, h("a", { href: `#/game/${encodeURIComponent(table.id)}` }, h("strong", {}, shortNames(table.players).join(" – ")), h("span", {}, `${table.setup || table.game} · turn ${table.ply}`), state));
  });
  return h("ul", { class: "rows" }, ...rows);
}

/** Finished games of the store. @returns {Promise<HTMLElement | null>} nothing where there is no store */
export async function keptGames() {
  /** @type {any[]} */
  const records = (await list("/records?limit=8", "records")).slice(0, 8);
  if (!records.length) return null;
  const rows = records.map((record) => {
    const players = shortNames(record.players ?? []);
    return h("li", {}, h("a", { href: `#/replay/${encodeURIComponent(record.id)}` }, h("strong", {}, players.join(" – ")), h("span", {}, [record.setup || record.game, record.date?.slice(0, 16).replace("T", " ")].filter(Boolean).join(" · ")), h("span", { class: "ended" }, endText(record.result, players))));
  });
  return h("ul", { class: "rows" }, ...rows);
}

/** @returns {Promise<HTMLElement>} */
export async function tournaments() {
  /** @type {any[]} */
  const found = await list("/tournaments", "tournaments");
  if (!found.length) return empty("No tournaments yet. One is played by: noctagon tournament");
  const rows = found.slice(0, 10).map((one) => {
    const name = typeof one === "string" ? one : String(one.name);
    const { played, expected } = one.progress ?? one;
    const state = played === undefined ? "" : expected ? `${played} of ${expected} games` : `${played} games`;
    return h("li", {}, h("a", { href: `#/tournament/${encodeURIComponent(name)}` }, h("strong", {}, name), h("span", {}, state)));
  });
  return h("ul", { class: "rows" }, ...rows);
}

/** @param {string} text */
const empty = (text) => h("p", { class: "empty" }, text);
