// @ts-check
// The games that ended last as small boards: a new one takes the place of the oldest.
/** @import {FinishedGame, LastBoard} from "./types_pages" */
import { get } from "./api.js";
import { Board } from "./board.js";
import { h } from "./element.js";
import { emblem, facesOf, sideTint } from "./symbols.js";

const MOST = 20;

export class LastBoards {
  /** @param {string} tournament */
  constructor(tournament) {
    this.tournament = tournament;
    this.newest = 0;
    this.busy = false;
    this.closed = false;
    /** @type {{board: Board, element: HTMLElement}[]} */
    this.shown = [];
    this.element = h("div", { class: "last-boards" });
  }

  /** @param {FinishedGame[]} games the newest first */
  async update(games) {
    if (this.busy || this.closed || !games.length || games[0].id <= this.newest) return;
    this.busy = true;
    try {
      /** @type {LastBoard[]} */
      const boards = await get(`/boards?tournament=${encodeURIComponent(this.tournament)}&after=${this.newest}&limit=${MOST}`);
      const made = await Promise.all(boards.map((one) => this.make(one)));
      if (this.closed) return made.forEach(({ board }) => board.close());
      this.newest = Math.max(games[0].id, ...boards.map(({ game }) => game.id));
      this.element.prepend(...made.map(({ element }) => element));
      this.shown.unshift(...made);
      for (const old of this.shown.splice(MOST)) {
        old.board.close();
        old.element.remove();
      }
    } catch {
      // the page itself says that the server does not answer; the next game tries again
    } finally {
      this.busy = false;
    }
  }

  /** @param {LastBoard} one */
  async make({ game, view }) {
    const faces = await facesOf(view.game);
    const names = game.players.join(" against ");
    const board = new Board(view, faces, { label: `The end of ${names}` });
    board.show(view.pieces.map(({ x, y, kind, side, count, label }) => [y * view.columns + x, { kind, side, count, label }]));
    const who = game.players.map((name, side) =>
      h("span", { class: `who ${sideTint(faces, view.sides, side)}${game.winner === side ? " winner" : ""}` }, emblem(faces, view.sides, side), h("span", {}, name), h("b", {}, String(view.score[side]))),
    );
    const element = h(
      "figure",
      { class: "small-board", "data-game": game.id },
      h("figcaption", {}, ...who),
      h("a", { href: `#/replay/${game.id}`, "aria-label": `Replay ${names}` }, board.element),
      h("p", { class: "status", title: game.text }, `${game.setup} · ${game.text}`),
    );
    return { board, element };
  }

  close() {
    this.closed = true;
    for (const { board } of this.shown) board.close();
  }
}
