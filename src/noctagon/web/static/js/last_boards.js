// @ts-check
// The games that ended last as small boards: a new one takes the place of the oldest.
/** @import {FinishedGame, LastBoard} from "./messages" */
import { get } from "./api.js";
import { h, say } from "./element.js";
import { SmallBoard } from "./small_board.js";

const MOST = 20;

export class LastBoards {
  /** @param {string} tournament */
  constructor(tournament) {
    this.tournament = tournament;
    this.newest = 0;
    this.busy = false;
    this.closed = false;
    /** @type {SmallBoard[]} */
    this.shown = [];
    this.element = h("div", { class: "last-boards" });
  }

  /** @param {FinishedGame[]} games the newest first */
  async update(games) {
    if (this.busy || this.closed || !games.length || games[0].id <= this.newest) return;
    this.busy = true;
    try {
      /** @type {LastBoard[]} */
      const boards = await get(
        `/boards?tournament=${encodeURIComponent(this.tournament)}&after=${this.newest}&limit=${MOST}`,
      );
      const made = await Promise.all(boards.map((one) => this.make(one)));
      if (this.closed) return made.forEach((small) => small.close());
      this.newest = Math.max(games[0].id, ...boards.map(({ game }) => game.id));
      this.element.prepend(...made.map(({ element }) => element));
      this.shown.unshift(...made);
      for (const old of this.shown.splice(MOST)) old.close();
    } catch {
      // the page itself says that the server does not answer; the next game tries again
    } finally {
      this.busy = false;
    }
  }

  /** @param {LastBoard} one */
  async make({ game, view }) {
    const names = game.players.join(" against ");
    const small = await SmallBoard.make(view, game.players, `The end of ${names}`);
    small.element.dataset.game = String(game.id);
    small.link(`#/replay/${game.id}`, `Replay ${names}`);
    if (game.winner !== null) small.names[game.winner].classList.add("winner");
    small.status.title = game.text;
    say(small.status, `${game.setup} · ${game.text}`);
    return small;
  }

  close() {
    this.closed = true;
    for (const small of this.shown) small.close();
  }
}
