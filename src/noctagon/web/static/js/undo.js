// @ts-check
// Steps that can be undone and redone.

const MOST = 300;

/** @template T */
export class Steps {
  /** @param {T} first @param {() => void} changed */
  constructor(first, changed) {
    this.now = first;
    this.changed = changed;
    /** @type {T[]} */
    this.before = [];
    /** @type {T[]} */
    this.after = [];
    /** @type {T | null} what was there when a stroke began: all of it is one step */
    this.stroke = null;
  }

  /** @param {T} next the same again is no step */
  take(next) {
    if (next === this.now) return;
    if (this.stroke === null) this.push(this.now);
    this.now = next;
    this.changed();
  }

  /** @param {T} past */
  push(past) {
    this.before.push(past);
    if (this.before.length > MOST) this.before.shift();
    this.after = [];
  }

  begin() {
    this.end();
    this.stroke = this.now;
  }

  end() {
    const { stroke } = this;
    this.stroke = null;
    if (stroke !== null && stroke !== this.now) {
      this.push(stroke);
      this.changed();
    }
  }

  undo() {
    this.end();
    const past = this.before.pop();
    if (past === undefined) return false;
    this.after.push(this.now);
    this.now = past;
    this.changed();
    return true;
  }

  redo() {
    this.end();
    const next = this.after.pop();
    if (next === undefined) return false;
    this.before.push(this.now);
    this.now = next;
    this.changed();
    return true;
  }
}
