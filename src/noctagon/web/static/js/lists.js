// @ts-check
// Lists of games and tournaments, with a text where there are none.
/** @import {RecordLine, TableLine, TournamentLine} from "./messages" */
import { list } from "./api.js";
import { h } from "./element.js";
import { endText, resultText, shortNames } from "./names.js";

/** Games that are being played or ended not long ago. @returns {Promise<HTMLElement>} */
export async function recentGames() {
  /** @type {TableLine[]} */
  const tables = (await list("/tables")).slice(0, 12);
  if (!tables.length) return empty("No games yet. Start one: it will be listed here.");
  const rows = tables.map((table) => {
    const ended = resultText(table.result);
    const state = table.live
      ? h("span", { class: "live" }, "live")
      : h("span", { class: "ended" }, ended.split(":")[0]);
    return row(
      `#/game/${encodeURIComponent(table.id)}`,
      shortNames(table.players).join(" – "),
      `${table.setup || table.game} · turn ${table.ply}`,
      state,
    );
  });
  return h("ul", { class: "rows" }, ...rows);
}

/** Finished games of the store. @returns {Promise<HTMLElement | null>} nothing where there is no store */
export async function keptGames() {
  /** @type {RecordLine[]} */
  const records = (await list("/records?limit=8", "records")).slice(0, 8);
  if (!records.length) return null;
  const rows = records.map((record) => {
    const players = shortNames(record.players);
    const about = [record.setup || record.game, record.date.slice(0, 16).replace("T", " ")].filter(Boolean).join(" · ");
    return row(
      `#/replay/${encodeURIComponent(record.id)}`,
      players.join(" – "),
      about,
      h("span", { class: "ended" }, endText(record.result, players)),
    );
  });
  return h("ul", { class: "rows" }, ...rows);
}

/** @returns {Promise<HTMLElement>} */
export async function tournaments() {
  /** @type {TournamentLine[]} */
  const found = await list("/tournaments");
  if (!found.length) return empty("No tournaments yet. One is played by: noctagon tournament");
  const rows = found.slice(0, 10).map(({ name, played, expected }) => {
    const state = expected ? `${played} of ${expected} games` : `${played} games`;
    return row(`#/tournament/${encodeURIComponent(name)}`, name, state);
  });
  return h("ul", { class: "rows" }, ...rows);
}

/** A link whose key keeps its element when the list is updated. @param {string} href @param {string} name @param {string} about @param {HTMLElement} [state] */
const row = (href, name, about, state) =>
  h("li", { "data-key": href }, h("a", { href }, h("strong", {}, name), h("span", {}, about), state));

/** @param {string} text */
const empty = (text) => h("p", { class: "empty" }, text);
