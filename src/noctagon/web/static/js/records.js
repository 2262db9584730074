// @ts-check
// The page of records: open a file, or look through the games of the store.
/** @import {RecordLine, RecordList} from "./messages" */
/** @import {Show} from "./pages.js" */
import { get } from "./api.js";
import { Banner } from "./banner.js";
import { fill, fresh, h } from "./element.js";
import { endText, plural, shortNames } from "./names.js";
import { acceptDrops, fileButton, uploaded } from "./open_file.js";
import { games } from "./start.js";

const MOST = 200;

/** @param {Show} show @returns {Promise<() => void>} how to leave it */
export async function openRecords(show) {
  const page = new RecordsPage();
  show(page.element, "Games");
  await page.fill();
  return () => page.close();
}

class RecordsPage {
  constructor() {
    this.banner = new Banner();
    const complain = (/** @type {unknown} */ problem) => this.banner.complain(problem);
    this.number = 0;
    this.timer = 0;
    this.game = h("select", {}, h("option", { value: "" }, "all games"));
    this.players = h("datalist", { id: fresh("players") });
    this.tournaments = h("datalist", { id: fresh("tournaments") });
    this.player = h("input", { type: "text", list: this.players.id, placeholder: "anybody", autocomplete: "off" });
    this.tournament = h("input", { type: "text", list: this.tournaments.id, placeholder: "any", autocomplete: "off" });
    const filters = h(
      "form",
      { class: "row filters" },
      field("Game", this.game),
      field("Player", this.player),
      field("Tournament", this.tournament),
      this.players,
      this.tournaments,
    );
    filters.addEventListener("submit", (event) => event.preventDefault());
    filters.addEventListener("input", () => {
      clearTimeout(this.timer);
      this.timer = window.setTimeout(() => void this.list().catch(complain), 250);
    });
    this.kept = h("div", { "aria-live": "polite" });
    this.fromFile = h("div");
    this.undrop = acceptDrops(document.body, complain);
    this.element = h(
      "div",
      { class: "records" },
      this.banner.element,
      h(
        "section",
        { class: "card drop" },
        h(
          "div",
          {},
          h("h1", {}, "Replay a game"),
          h(
            "p",
            {},
            "Drop a record here, or open one: a file that noctagon wrote, with one game or one a line. It stays on this machine.",
          ),
        ),
        fileButton(complain),
      ),
      this.fromFile,
      h("section", { class: "card" }, h("h2", {}, "Games of the store"), filters, this.kept),
    );
  }

  async fill() {
    const [file] = uploaded;
    if (file) {
      fill(
        this.fromFile,
        h(
          "section",
          { class: "card" },
          h("h2", {}, `${file.name}: ${plural(file.replays.length, "game")}`),
          file.trouble && h("p", { class: "error" }, file.trouble),
          table(file.replays),
        ),
      );
    }
    for (const game of await games()) this.game.append(h("option", { value: game.name }, game.title));
    await this.list();
  }

  async list() {
    const number = ++this.number;
    const query = new URLSearchParams({
      limit: String(MOST),
      game: this.game.value,
      player: this.player.value.trim(),
      tournament: this.tournament.value.trim(),
    });
    for (const [name, value] of [...query]) if (!value) query.delete(name);
    /** @type {RecordList} */
    const found = await get(`/records?${query}`);
    if (number !== this.number) return;
    fill(this.players, ...found.players.map((value) => h("option", { value })));
    fill(this.tournaments, ...found.tournaments.map((value) => h("option", { value })));
    const chosen = this.game.value || this.player.value || this.tournament.value;
    const empty = found.store
      ? "Nothing is kept yet: games will be listed here as they end."
      : "Games are kept with: noctagon web --store noctagon.db";
    const none = chosen ? "No game fits." : empty;
    fill(this.kept, found.records.length ? table(found.records) : h("p", { class: "empty" }, none));
  }

  close() {
    this.number = -1;
    clearTimeout(this.timer);
    this.undrop();
  }
}

/** @param {string} name @param {HTMLElement} input */
const field = (name, input) => h("label", { class: "field" }, name, input);

/** @param {RecordLine[]} records */
function table(records) {
  const rows = records.map((record) => {
    const players = shortNames(record.players);
    const winner = record.result?.winner ?? null;
    const who = players.map((name, side) => h("span", { class: winner === side ? "won" : "" }, name));
    const link = h(
      "a",
      { href: `#/replay/${encodeURIComponent(record.id)}`, title: record.players.join(" – ") },
      who[0],
      " – ",
      who[1],
    );
    return h(
      "tr",
      {},
      h("td", {}, link, record.trouble && h("small", { class: "error" }, ` ${record.trouble}`)),
      h("td", {}, record.setup || record.game),
      h("td", { class: "number" }, record.ply),
      h("td", {}, endText(record.result, players)),
      h("td", { class: "date" }, record.date.slice(0, 16).replace("T", " ")),
      h("td", {}, record.tournament),
    );
  });
  const heads = ["Players", "Setup", "Turns", "Ended", "Date", "Tournament"].map((name) =>
    h("th", { scope: "col", class: name === "Turns" ? "number" : "" }, name),
  );
  return h(
    "div",
    { class: "table-scroll" },
    h("table", { class: "record-table" }, h("thead", {}, h("tr", {}, ...heads)), h("tbody", {}, ...rows)),
  );
}
