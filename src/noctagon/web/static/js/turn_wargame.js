// @ts-check
// A person's turn of AI Wargame: a unit moves, attacks, repairs or destroys itself, with the damage shown first.
/** @import {ActionView, PositionView} from "./messages" */
/** @import {Hand, Seating} from "./types" */
/** @import {Hint} from "./overlay.js" */
import { post } from "./api.js";
import { h } from "./element.js";
import { cellName } from "./names.js";
import { TurnPanel } from "./turn_panel.js";

const KEYS = "Keys: arrows and Enter on the board, C plays the turn, U or Esc lets go.";

/** @implements {Hand} */
export class WargameTurn {
  /** @param {Seating} seating */
  constructor(seating) {
    this.seating = seating;
    this.view = seating.history.view;
    this.panel = new TurnPanel(seating, {
      quick: "quick: a click on a target plays it",
      keys: KEYS,
      press: (action) => this.choose(action),
    });
    this.element = this.panel.element;
    this.panel.play.addEventListener("click", () => this.play());
    /** @type {ActionView[]} */
    this.choices = [];
    /** @type {[number, number] | null} */
    this.source = null;
    /** @type {ActionView | null} */
    this.chosen = null;
    this.closed = false;
    this.draw(); // its words take their room at once: no button moves away from a click
    this.ready = this.ask();
  }

  async ask() {
    try {
      /** @type {PositionView} */
      const asked = await post("/positions", {
        game: this.view.game,
        position: await this.seating.position(),
        rules: this.seating.rules,
      });
      if (this.closed) return;
      this.choices = asked.actions ?? [];
    } catch (error) {
      this.panel.complain(error);
    }
    if (!this.closed) this.draw();
  }

  /** @param {number} x @param {number} y */
  pick(x, y) {
    if (this.panel.sent) return;
    const choice = this.to(x, y);
    if (choice && choice.kind !== SELF) {
      const sure = this.chosen === choice || this.panel.quick.checked;
      this.chosen = choice;
      this.draw();
      if (sure) this.play();
      return;
    }
    this.chosen = null;
    this.source = !choice && this.from(x, y).length ? [x, y] : null; // a second click lets go
    this.draw();
  }

  /** @param {number} x @param {number} y */
  from(x, y) {
    return this.choices.filter(({ arrows: [[a, b]] }) => a === x && b === y);
  }

  /** @param {number} x @param {number} y */
  to(x, y) {
    return this.source
      ? this.from(...this.source).find(({ arrows: [[, , tx, ty]] }) => tx === x && ty === y)
      : undefined;
  }

  /** @param {string} action */
  choose(action) {
    this.chosen = this.choices.find((choice) => choice.action === action) ?? null;
    this.draw();
  }

  play() {
    if (this.chosen) void this.panel.send(this.chosen.action);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (["u", "U", "Escape"].includes(event.key)) {
      if (this.chosen) this.chosen = null;
      else this.source = null;
      this.draw();
    } else if (event.key === "c" || event.key === "C" || (event.key === "Enter" && event.shiftKey)) this.play();
    else return false;
    return true;
  }

  /** @param {number} x @param {number} y */
  describe(x, y) {
    return this.to(x, y)?.text ?? (this.from(x, y).length ? "can act" : "");
  }

  draw() {
    const { board } = this.seating;
    /** @type {Hint[]} */
    let hints;
    if (this.source) {
      const [x, y] = this.source;
      hints = this.from(x, y).map((choice) => {
        const [, , tx, ty, text] = choice.arrows[0];
        return {
          x: tx,
          y: ty,
          kind: choice.kind === SELF ? "source" : choice.kind,
          text: choice.kind === SELF ? "" : text,
          chosen: choice === this.chosen,
        };
      });
    } else {
      const sources = new Map(
        this.choices.map(({ arrows: [[x, y]] }) => [`${x},${y}`, { x, y, kind: "source", text: "" }]),
      );
      hints = [...sources.values()];
    }
    if (this.chosen) hints = [...hints.map((hint) => ({ ...hint, text: "" })), ...this.effects(this.chosen)];
    board.hint(hints);
    board.planned(this.chosen ? this.chosen.arrows.map(([x, y, tx, ty]) => [x, y, tx, ty, ""]) : []);
    this.panel.allow(this.chosen !== null);
    this.panel.say(this.words());
    this.panel.show(this.list());
  }

  /** Return what each unit would gain or lose by the chosen action. @param {ActionView} choice @returns {Hint[]} */
  effects({ kind, arrows: [[x, y, tx, ty, text]], changes }) {
    const { board } = this.seating;
    if (!changes) return kind === SELF ? [] : [{ x: tx, y: ty, kind, text, chosen: true }];
    return changes.flatMap(([a, b, , , count]) => {
      const by = count - (board.contentAt(a, b)?.count ?? 0);
      const hurt = by < 0 ? `−${-by}` : `+${by}`;
      const moves = kind === "move" && ((a === x && b === y) || (a === tx && b === ty));
      return by && !moves ? [{ x: a, y: b, kind: by < 0 ? "attack" : "repair", text: hurt }] : [];
    });
  }

  words() {
    if (this.panel.sent) return "Sent.";
    if (this.chosen) return `${capital(this.chosen.text)}. Play it, or choose another.`;
    if (this.source)
      return `${cellName(this.view, ...this.source)}: choose a target. The numbers say what it gains or loses.`;
    return "Click one of your units.";
  }

  /** Everything the chosen unit can do, as buttons. */
  list() {
    const choices = this.source ? this.from(...this.source) : [];
    const items = choices.map((choice) =>
      h(
        "li",
        { "data-key": choice.action },
        h(
          "button",
          { type: "button", class: `choice ${choice.kind}`, "aria-pressed": String(choice === this.chosen) },
          capital(choice.text),
        ),
      ),
    );
    return h("ul", { class: "choices", "aria-label": "What this unit can do" }, ...items);
  }

  close() {
    this.closed = true;
    this.seating.board.planned([]);
    this.seating.board.hint([]);
  }
}

const SELF = "self-destruct";

/** @param {string} text */
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
