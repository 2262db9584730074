// @ts-check
// The games of a tournament that are being played, as small boards that follow them.
/** @import {RunningBoard} from "./messages" */
import { h, say } from "./element.js";
import { Poll } from "./poll.js";
import { SmallBoard } from "./small_board.js";

const WAIT = 1000;

export class RunningBoards {
  /** @param {string} tournament */
  constructor(tournament) {
    /** @type {Map<string, SmallBoard>} */
    this.shown = new Map();
    this.closed = false;
    this.boards = h("div", { class: "last-boards running-boards" });
    this.element = h("section", { class: "wide", hidden: true }, h("h2", {}, "Being played"), this.boards);
    this.poll = new Poll(
      () => `/running?tournament=${encodeURIComponent(tournament)}`,
      WAIT,
      (games) => void this.update(games),
      () => {},
    );
  }

  /** @param {RunningBoard[]} games */
  async update(games) {
    const present = new Set(games.map(({ slot }) => slot));
    for (const [slot, small] of this.shown) {
      if (present.has(slot)) continue;
      small.close();
      this.shown.delete(slot);
    }
    for (const { slot, players, setup, view } of games) {
      let small = this.shown.get(slot);
      if (!small) {
        small = await SmallBoard.make(view, players, `${players.join(" against ")}, as it stands`);
        if (this.closed || this.shown.has(slot)) return small.close();
        this.shown.set(slot, small);
        this.boards.append(small.element);
      }
      small.show(view);
      say(small.status, `${setup} · turn ${view.ply}`);
    }
    this.element.hidden = !this.shown.size;
  }

  close() {
    this.closed = true;
    this.poll.close();
    for (const small of this.shown.values()) small.close();
  }
}
