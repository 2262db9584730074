// @ts-check
// The view of a history: the present, or an earlier turn that the reader chose.
/** @import {TurnFrame} from "./messages" */
/** @import {Board} from "./board.js" */
/** @import {History} from "./history.js" */

/** Events: `moved` (another position is shown), `mode` (following or not, playing or not). */
export class Viewer extends EventTarget {
  /** @param {Board} board @param {History} history */
  constructor(board, history) {
    super();
    this.board = board;
    this.history = history;
    this.n = 0;
    /** Whether the view follows the present; going back ends that until the reader returns to it. */
    this.following = true;
    this.timer = 0;
    /** Milliseconds between turns where the reader plays history. */
    this.interval = 700;
    this.reset(history);
  }

  get playing() {
    return this.timer !== 0;
  }

  /** @param {History} history */
  reset(history) {
    this.history = history;
    this.n = this.following ? history.length : Math.min(this.n, history.length);
    this.board.show(history.at(this.n));
    this.board.markTurn(history.frame(this.n));
    this.tell("moved");
  }

  /** Show the frame that was just added to the history. */
  arrived() {
    if (this.following) {
      if (this.n === this.history.length - 1) this.step();
      else this.goTo(this.history.length);
    } else this.tell("moved");
  }

  /** Show a history that became shorter. */
  rewound() {
    this.board.settle();
    this.following ||= this.n >= this.history.length;
    this.reset(this.history);
  }

  /** Show the next turn as it happens. */
  step() {
    const frame = this.history.frame(this.n + 1);
    if (!frame) return;
    this.n += 1;
    this.board.step(frame, Math.max(120, Math.min(430, this.interval * 0.7)));
    this.tell("moved");
  }

  /** @param {number} n */
  goTo(n) {
    n = Math.max(0, Math.min(this.history.length, n));
    if (n === this.n) return;
    if (n === this.n + 1) {
      this.step();
      return;
    }
    this.board.settle();
    this.board.apply(this.history.between(this.n, n));
    this.n = n;
    this.board.markTurn(this.history.frame(n));
    this.tell("moved");
  }

  /** Show the turn that the reader chose, and stay there unless it is the present. @param {number} n */
  scrub(n) {
    this.stop();
    this.goTo(n);
    this.follow(this.n === this.history.length);
  }

  toPresent() {
    this.stop();
    this.goTo(this.history.length);
    this.follow(true);
  }

  /** @param {boolean} following */
  follow(following) {
    if (this.following === following) return;
    this.following = following;
    this.tell("mode");
  }

  /** Play history from here, until the present. */
  play() {
    this.stop();
    if (this.n === this.history.length) this.goTo(0);
    this.follow(false);
    this.timer = window.setInterval(() => {
      this.step();
      if (this.n === this.history.length) this.toPresent();
    }, this.interval);
    this.tell("mode");
  }

  stop() {
    if (!this.timer) return;
    clearInterval(this.timer);
    this.timer = 0;
    this.tell("mode");
  }

  /** @param {string} name */
  tell(name) {
    this.dispatchEvent(new Event(name));
  }

  close() {
    this.stop();
    this.board.close();
  }
}
