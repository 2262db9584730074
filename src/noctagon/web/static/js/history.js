// @ts-check
// A game's frames and the positions between them, both ways, without keeping every position.
/** @import {Change, ResultView, TurnFrame, View} from "./messages" */
/** @import {Content} from "./types" */

export class History {
  /** @param {View} view the first position */
  constructor(view) {
    this.view = view;
    /** @type {TurnFrame[]} */
    this.frames = [];
    /** @type {Change[][]} what stood on the changed cells before each frame */
    this.before = [];
    /** @type {Map<number, Content>} what stands where after the last frame, by `index` */
    this.last = new Map();
    for (const { x, y, kind, side, count, label } of view.pieces) {
      this.last.set(this.index(x, y), { kind, side, count, label });
    }
  }

  /** @param {number} x @param {number} y */
  index(x, y) {
    return y * this.view.columns + x;
  }

  get length() {
    return this.frames.length;
  }

  /** Add a frame; one that is known already, or does not follow the last, changes nothing. @param {TurnFrame} frame */
  add(frame) {
    if (frame.n !== this.frames.length + 1) return false;
    this.before.push(frame.changes.map(([x, y]) => this.changeAt(x, y)));
    for (const change of frame.changes) this.put(change);
    this.frames.push(frame);
    return true;
  }

  /** Keep the first `n` frames. @param {number} n */
  rewind(n) {
    while (this.frames.length > n) {
      for (const change of this.before[this.before.length - 1]) this.put(change);
      this.before.pop();
      this.frames.pop();
    }
  }

  /** @param {Change} change */
  put([x, y, kind, side, count, label]) {
    if (kind === null) this.last.delete(this.index(x, y));
    else this.last.set(this.index(x, y), { kind, side, count, label });
  }

  /** @param {number} x @param {number} y @returns {Change} */
  changeAt(x, y) {
    const content = this.last.get(this.index(x, y));
    return content ? [x, y, content.kind, content.side, content.count, content.label] : [x, y, null, null, 0, ""];
  }

  /** Return the changes from one position to another. @param {number} from @param {number} to @returns {Change[]} */
  between(from, to) {
    /** @type {Map<number, Change>} */
    const changes = new Map();
    if (from <= to) {
      for (let n = from; n < to; n++)
        for (const change of this.frames[n].changes) changes.set(this.index(change[0], change[1]), change);
    } else {
      for (let n = from - 1; n >= to; n--)
        for (const change of this.before[n]) changes.set(this.index(change[0], change[1]), change);
    }
    return [...changes.values()];
  }

  /** Return the contents of all cells after `n` frames. @param {number} n @returns {Map<number, Content>} */
  at(n) {
    const content = new Map(this.last);
    for (const [x, y, kind, side, count, label] of this.between(this.length, n)) {
      if (kind === null) content.delete(this.index(x, y));
      else content.set(this.index(x, y), { kind, side, count, label });
    }
    return content;
  }

  /** Return the frame that led to position `n`; none for the first position. @param {number} n @returns {TurnFrame | null} */
  frame(n) {
    return n > 0 ? this.frames[n - 1] : null;
  }

  /** @param {number} n @returns {[number, number]} */
  score(n) {
    return this.frame(n)?.score ?? this.view.score;
  }

  /** @param {number} n */
  mover(n) {
    return this.frame(n)?.mover ?? this.view.side;
  }

  /** Return the seconds that a side has thought in the first `n` turns. @param {number} side @param {number} n */
  seconds(side, n) {
    let total = 0;
    for (let i = 0; i < n; i++) if (this.frames[i].side === side) total += this.frames[i].seconds;
    return total;
  }

  /** Return what a side has gained and lost in the first `n` turns. @param {number} side @param {number} n */
  gains(side, n) {
    let gained = 0;
    let lost = 0;
    for (let i = 1; i <= n; i++) {
      const by = this.score(i)[side] - this.score(i - 1)[side];
      if (by > 0) gained += by;
      else lost -= by;
    }
    return { gained, lost };
  }

  /** Return a side's newest thought in the first `n` turns. @param {number} side @param {number} n */
  thought(side, n) {
    for (let i = n - 1; i >= 0; i--) {
      const frame = this.frames[i];
      if (frame.side === side && frame.thought) return frame.thought;
    }
    return null;
  }
}
