// @ts-check
// One server: its address, who has come, its games as boards, its results.
/** @import {ServedGame, ServerView, TcpTableView} from "./messages" */
import { remove } from "./api.js";
import { fill, h, refill, say } from "./element.js";
import { plural, resultText } from "./names.js";
import { Trace } from "./server_trace.js";
import { SmallBoard } from "./watch.js";

/** Maximum number of tables that are shown as boards; the others are shown in words. */
const MOST_BOARDS = 24;
const MOST_RESULTS = 20;

export class ServerCard {
  /** @param {ServerView} server @param {() => void} changed */
  constructor(server, changed) {
    this.id = server.id;
    this.changed = changed;
    /** @type {Map<number, {id: string, board: SmallBoard | null}>} boards by table */
    this.boards = new Map();
    /** @type {Map<number, {element: HTMLElement, chairs: HTMLElement, state: HTMLElement, slot: HTMLElement, seen: string}>} */
    this.tables = new Map();
    this.closed = false;
    this.address = h("span", { class: "address" });
    this.about = h("p", { class: "about" });
    this.state = h("p", { class: "server-state", role: "status" });
    this.problem = h("p", { class: "error", role: "alert", hidden: true });
    this.button = h("button", { type: "button", class: "small-button", on: { click: () => this.shut() } });
    this.grid = h("div", { class: "tcp-tables" });
    this.results = h("div", { class: "results" });
    this.trace = new Trace(server.id);
    this.element = h(
      "section",
      { class: "card server" },
      h("div", { class: "server-head" }, h("div", {}, h("h2", {}, this.address), this.about), this.button),
      this.state,
      this.problem,
      this.grid,
      this.results,
      this.trace.element,
    );
    this.update(server);
  }

  /** @param {ServerView} server */
  update(server) {
    const place = server.host === "0.0.0.0" || server.host === "::" ? "this machine’s address," : server.host;
    say(this.address, `${place} port ${server.port}`);
    const about = [
      server.map,
      `${server.rules} rules`,
      `${server.time} s a turn`,
      server.duration === null ? "" : `${server.duration} s a game`,
      plural(server.games, "game") + (server.games > 1 ? " of a pair" : ""),
      server.opponent && `against ${server.opponent}`,
      server.lenient && "lenient",
      server.reconnect && "a connection for every game",
    ];
    say(this.about, about.filter(Boolean).join(" · "));
    const here = server.tables.flatMap(({ chairs }) => chairs).filter((chair) => chair.here && chair.address).length;
    const words = server.over
      ? [capital(server.over)]
      : [
          here
            ? `${plural(here, "program")} connected`
            : `Nobody has connected yet: start a bot with ${place === server.host ? server.host : "this machine’s address"} ${server.port} as its last arguments`,
        ];
    if (server.arriving) words.push(`${server.arriving} arriving`);
    if (server.played) words.push(`${plural(server.played, "game")} played`);
    say(this.state, words.join(" · "));
    this.element.classList.toggle("over", server.over !== "");
    say(this.button, server.over ? "Remove" : "Close the server");
    this.button.hidden = server.terminal && !server.over;
    this.grid.classList.toggle("many", server.tables.length > 6);
    server.tables.forEach((table, at) => this.showTable(table, server.tables.length > 1, at < MOST_BOARDS));
    refill(
      this.results,
      ...(server.results.length
        ? [
            h("h3", {}, "Results"),
            h(
              "ul",
              { class: "rows" },
              ...server.results.slice(0, MOST_RESULTS).map((one) => result(one, server.tables.length > 1)),
            ),
          ]
        : []),
    );
  }

  /** @param {TcpTableView} table @param {boolean} several @param {boolean} drawn */
  showTable(table, several, drawn) {
    let shown = this.tables.get(table.number);
    if (!shown) {
      const [chairs, state, slot] = [
        h("div", { class: "chairs" }),
        h("span", { class: "table-state" }),
        h("div", { class: "slot" }),
      ];
      const element = h(
        "div",
        { class: "tcp-table" },
        h("p", { class: "table-head" }, several && h("strong", {}, `Table ${table.number}`), state),
        chairs,
        slot,
      );
      shown = { element, chairs, state, slot, seen: "" };
      this.tables.set(table.number, shown);
      this.grid.append(element);
    }
    const words = { waiting: "waiting for players", playing: "playing", finished: "finished" }[table.state];
    say(shown.state, table.games > 1 && table.state === "playing" ? `game ${table.game} of ${table.games}` : words);
    shown.state.classList.toggle("live", table.state === "playing");
    const now = JSON.stringify(table.chairs);
    if (now !== shown.seen) {
      shown.seen = now;
      fill(
        shown.chairs,
        ...table.chairs.map((chair) =>
          h(
            "span",
            { class: chair.here ? "chair here" : "chair", title: chair.address },
            chair.name || "free",
            chair.here || !chair.name ? "" : h("small", {}, " (gone)"),
          ),
        ),
      );
    }
    shown.chairs.hidden = table.table !== null && drawn && table.state !== "waiting";
    if (drawn && table.table) void this.showBoard(table.number, table.table, shown.slot);
    else if (table.table)
      refill(
        shown.slot,
        h("a", { href: `#/game/${table.table}` }, `Watch: turn ${table.ply}, ${table.score.join(" to ")}`),
      );
  }

  /** @param {number} number @param {string} id of the game @param {HTMLElement} slot */
  async showBoard(number, id, slot) {
    const before = this.boards.get(number);
    if (before?.id === id) return;
    /** @type {{id: string, board: SmallBoard | null}} */
    const now = { id, board: null };
    this.boards.set(number, now);
    try {
      const board = await SmallBoard.open(id);
      if (this.closed || this.boards.get(number) !== now) {
        board.close();
        return;
      }
      now.board = board;
      before?.board?.close();
      fill(slot, board.element);
    } catch {
      if (this.boards.get(number) === now) this.boards.delete(number); // it is asked for again
    }
  }

  async shut() {
    this.problem.hidden = true;
    this.button.disabled = true;
    try {
      await remove(`/servers/${encodeURIComponent(this.id)}`);
      this.changed();
    } catch (error) {
      this.problem.hidden = false;
      say(this.problem, error instanceof Error ? error.message : String(error));
    } finally {
      this.button.disabled = false;
    }
  }

  close() {
    this.closed = true;
    this.trace.close();
    for (const { board } of this.boards.values()) board?.close();
    this.element.remove();
  }
}

/** @param {ServedGame} one @param {boolean} several */
function result(one, several) {
  const where = [several && `table ${one.table}`, `game ${one.game}`, plural(one.plies, "turn"), one.remark]
    .filter(Boolean)
    .join(" · ");
  const { winner } = one.result;
  const ended =
    winner === null || one.players[0] === one.players[1]
      ? resultText(one.result).split(":")[0]
      : `${one.players[winner]} won`;
  return h(
    "li",
    { "data-key": one.id },
    h(
      "a",
      { href: `#/game/${one.id}`, title: one.result.text },
      h("strong", {}, one.players[0], " – ", one.players[1]),
      h("span", {}, where),
      h("span", { class: "ended" }, ended),
    ),
  );
}

/** @param {string} text */
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
