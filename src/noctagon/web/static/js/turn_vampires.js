// @ts-check
// A person's turn of Vampires vs Werewolves: groups go to cells beside them, several in one turn, with the odds shown first.
/** @import {MoveRow, TargetView, TurnSoFar} from "./messages" */
/** @import {Hand, Seating} from "./types" */
/** @import {Hint} from "./overlay.js" */
import { post } from "./api.js";
import { CountPicker } from "./count_picker.js";
import { h } from "./element.js";
import { percent } from "./names.js";
import { TurnPanel } from "./turn_panel.js";

const KEYS =
  "Keys: arrows and Enter on the board, digits for how many, U takes a move back, C plays the turn, Esc lets go.";

/** @implements {Hand} */
export class VampiresTurn {
  /** @param {Seating} seating */
  constructor(seating) {
    this.seating = seating;
    this.position = "";
    this.panel = new TurnPanel(seating, {
      quick: "quick: send the whole group and end the turn",
      keys: KEYS,
      press: (key) => this.drop(this.moves.find((move) => way(move) === key)),
    });
    this.element = this.panel.element;
    this.panel.play.addEventListener("click", () => this.play());
    this.picker = new CountPicker(() => this.ask());
    /** @type {MoveRow[]} */
    this.moves = [];
    /** @type {[number, number] | null} */
    this.source = null;
    /** @type {TurnSoFar | null} */
    this.built = null;
    this.asked = 0;
    this.draw(); // its words take their room at once: no button moves away from a click
    this.ready = this.ask();
  }

  /** Request the possible moves; an older answer that comes late is ignored. */
  async ask() {
    const number = ++this.asked;
    const chosen = { moves: this.moves, ...(this.source ? { source: this.source, count: this.picker.count } : {}) };
    try {
      this.position ||= await this.seating.position();
      /** @type {TurnSoFar} */
      const built = await post("/positions/turn", {
        game: this.seating.history.view.game,
        position: this.position,
        rules: this.seating.rules,
        ...chosen,
      });
      if (number !== this.asked) return;
      this.built = built;
      this.panel.complain(built.error);
    } catch (error) {
      if (number === this.asked) this.panel.complain(error);
    }
    this.draw();
  }

  /** @param {number} x @param {number} y */
  pick(x, y) {
    if (this.panel.sent || !this.built) return;
    const target = this.target(x, y);
    if (this.source && target) this.go(target);
    else if (this.source && this.source[0] === x && this.source[1] === y) this.choose(null);
    else if (this.isSource(x, y)) this.choose([x, y]);
    else this.choose(null);
  }

  /** @param {[number, number] | null} source */
  choose(source) {
    this.source = source;
    if (this.built) this.built.targets = [];
    if (source) this.picker.reset(this.left(...source));
    this.draw();
    void this.ask();
  }

  /** @param {TargetView} target */
  go(target) {
    if (!this.source) return;
    const count = Math.min(this.picker.count, target.room);
    const [x, y] = this.source;
    /** @type {MoveRow} */
    const move = [x, y, count, target.x, target.y];
    const same = this.moves.find((one) => way(one) === way(move));
    if (same) same[2] += count;
    else this.moves.push(move);
    this.source = null;
    const asked = this.askAgain();
    if (this.panel.quick.checked) void asked.then(() => this.play());
  }

  /** @param {MoveRow | undefined} dropped */
  drop(dropped) {
    this.moves = this.moves.filter((move) => move !== dropped);
    this.source = null;
    void this.askAgain();
  }

  /** The moves have changed: there is no turn to play until the server has answered. */
  askAgain() {
    if (this.built) this.built.legal = false;
    this.panel.allow(false);
    return this.ask();
  }

  play() {
    if (this.built?.legal && this.moves.length) void this.panel.send(this.built.action);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (/^\d$/.test(event.key) && this.source) this.picker.type(event.key);
    else if (event.key === "u" || event.key === "U") this.source ? this.choose(null) : this.drop(this.moves.at(-1));
    else if (event.key === "Escape") this.choose(null);
    else if (event.key === "c" || event.key === "C" || (event.key === "Enter" && event.shiftKey)) this.play();
    else return false;
    return true;
  }

  /** @param {number} x @param {number} y */
  describe(x, y) {
    const target = this.target(x, y);
    if (target) return `can go here: ${target.meeting.text}`;
    if (this.source?.[0] === x && this.source[1] === y) return "chosen";
    return this.isSource(x, y) ? `${this.left(x, y)} can go` : "";
  }

  /** @param {number} x @param {number} y */
  left(x, y) {
    return this.built?.left.find(([a, b]) => a === x && b === y)?.[2] ?? 0;
  }

  /** @param {number} x @param {number} y */
  isSource(x, y) {
    return this.built?.sources.some(([a, b]) => a === x && b === y) ?? false;
  }

  /** @param {number} x @param {number} y */
  target(x, y) {
    return this.built?.targets.find((one) => one.x === x && one.y === y);
  }

  draw() {
    const { board } = this.seating;
    const { built, source } = this;
    board.planned(this.moves.map(([x, y, count, tx, ty]) => [x, y, tx, ty, String(count)]));
    /** @type {Hint[]} */
    const hints = [];
    if (source) hints.push({ ...this.sourceHint(...source), chosen: true });
    if (source) hints.push(...(built?.targets ?? []).map(targetHint));
    else hints.push(...(built?.sources ?? []).map(([x, y]) => this.sourceHint(x, y)));
    board.hint(hints);
    this.panel.allow(Boolean(built?.legal && this.moves.length));
    this.panel.say(this.words());
    this.panel.show(...(source ? [this.picker.element] : []), this.list());
  }

  /** A group that can go, and how many of it are left where some have gone. @param {number} x @param {number} y @returns {Hint} */
  sourceHint(x, y) {
    const gone = this.moves.filter((move) => move[0] === x && move[1] === y);
    const low = gone.some((move) => move[4] < y) && !gone.some((move) => move[4] > y); // beside the arrows
    return { x, y, kind: "source", text: gone.length ? `${this.left(x, y)} left` : "", low };
  }

  words() {
    if (this.panel.sent) return "Sent.";
    if (this.source) return "Choose how many go, then click where to. The odds are on the cells.";
    if (this.moves.length) return "Click another group to move it too, or play the turn.";
    return "Click one of your groups.";
  }

  list() {
    const { meetings = [] } = this.built ?? {};
    const items = this.moves.map((move) => {
      const [x, y, count, tx, ty] = move;
      const met = meetings.find((one) => one.x === tx && one.y === ty)?.meeting;
      const drop = h(
        "button",
        { type: "button", class: "small-button", "aria-label": `Take back the move of ${count} to ${tx},${ty}` },
        "Undo",
      );
      return h(
        "li",
        { "data-key": way(move) },
        h("span", {}, h("b", {}, count), ` from ${x},${y} to ${tx},${ty}`, met && h("small", {}, met.text)),
        drop,
      );
    });
    return h("ol", { class: "moves", "aria-label": "Moves of this turn" }, ...items);
  }

  close() {
    this.asked = -1;
    this.seating.board.planned([]);
    this.seating.board.hint([]);
  }
}

/** The key of a move: its source and target. @param {MoveRow} move */
const way = ([x, y, , tx, ty]) => `${x},${y}>${tx},${ty}`;

/** @param {TargetView} target @returns {Hint} */
function targetHint({ x, y, meeting }) {
  const fight = meeting.kind === "humans" || meeting.kind === "enemies";
  if (!fight) return { x, y, kind: meeting.kind === "join" ? "join" : "free", text: "" };
  const kind = meeting.odds >= 1 ? "sure" : meeting.odds >= 0.5 ? "likely" : "risky";
  return { x, y, kind, text: percent(meeting.odds) };
}
