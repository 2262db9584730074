// @ts-check
// A person's turn of any other game: one of the turns that the server lists, by a click on a cell of it or by its name.
/** @import {ActionView, PositionView} from "./messages" */
/** @import {Hand, Seating} from "./types" */
/** @import {Hint} from "./overlay.js" */
import { post } from "./api.js";
import { fresh, h } from "./element.js";
import { TurnPanel } from "./turn_panel.js";

const KEYS = "Keys: arrows and Enter on the board, C plays the turn, U or Esc lets go.";

/** @implements {Hand} */
export class ListedTurn {
  /** @param {Seating} seating */
  constructor(seating) {
    this.seating = seating;
    this.panel = new TurnPanel(seating, {
      quick: "quick: a click on a cell plays it",
      keys: KEYS,
      press: (action) => this.choose(this.choices.find((choice) => choice.action === action) ?? null),
    });
    this.element = this.panel.element;
    this.panel.play.addEventListener("click", () => this.play());
    /** @type {ActionView[]} */
    this.choices = [];
    /** @type {ActionView | null} */
    this.chosen = null;
    /** The input for a turn of a game that cannot list them all. */
    this.written = h("input", {
      id: fresh("turn"),
      type: "text",
      autocomplete: "off",
      spellcheck: "false",
      on: {
        input: () => this.draw(),
        keydown: (/** @type {KeyboardEvent} */ event) => event.key === "Enter" && this.play(),
      },
    });
    this.listed = true;
    this.closed = false;
    this.ready = this.ask();
  }

  async ask() {
    const { game } = this.seating.history.view;
    try {
      /** @type {PositionView} */
      const asked = await post("/positions", {
        game,
        position: await this.seating.position(),
        rules: this.seating.rules,
      });
      this.listed = Array.isArray(asked.actions);
      this.choices = asked.actions ?? [];
    } catch (error) {
      this.panel.complain(error);
    }
    if (!this.closed) this.draw();
  }

  /** Several turns may be on a cell: each click chooses the next of them; the only one is played by a second click. @param {number} x @param {number} y */
  pick(x, y) {
    if (this.panel.sent) return;
    const here = this.choices.filter((choice) => cells(choice).some(([a, b]) => a === x && b === y));
    const sure = here.length === 1 && (here[0] === this.chosen || this.panel.quick.checked);
    this.choose(here[(here.findIndex((choice) => choice === this.chosen) + 1) % here.length] ?? null);
    if (sure) this.play();
  }

  /** @param {ActionView | null} choice */
  choose(choice) {
    this.chosen = choice;
    this.draw();
  }

  get action() {
    return this.listed ? (this.chosen?.action ?? "") : this.written.value.trim();
  }

  play() {
    void this.panel.send(this.action);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (["u", "U", "Escape"].includes(event.key)) this.choose(null);
    else if (event.key === "c" || event.key === "C" || (event.key === "Enter" && event.shiftKey)) this.play();
    else return false;
    return true;
  }

  /** @param {number} x @param {number} y */
  describe(x, y) {
    const here = this.choices.filter((choice) => cells(choice).some(([a, b]) => a === x && b === y));
    return here.map((choice) => (choice === this.chosen ? `${choice.text}, chosen` : choice.text)).join(", ");
  }

  draw() {
    const { board } = this.seating;
    /** @type {Map<string, Hint>} */
    const hints = new Map();
    for (const choice of this.choices)
      for (const [x, y] of cells(choice))
        if (!hints.get(`${x},${y}`)?.chosen)
          hints.set(`${x},${y}`, { x, y, kind: "move", text: "", chosen: choice === this.chosen });
    board.hint([...hints.values()]);
    board.planned(this.chosen?.arrows ?? []);
    this.panel.allow(this.action !== "");
    this.panel.say(this.words());
    if (this.listed) this.panel.show(this.list());
    else if (!this.written.isConnected)
      this.panel.show(
        h(
          "label",
          { class: "field", for: this.written.id },
          h("span", {}, "Your turn, as it is written"),
          this.written,
        ),
      );
  }

  words() {
    if (this.panel.sent) return "Sent.";
    if (!this.listed) return "This game has too many turns to list: write yours.";
    return this.chosen
      ? `${this.chosen.text}: play it, or choose another.`
      : "Click a cell, or choose a turn from the list.";
  }

  list() {
    const items = this.choices.map((choice) =>
      h(
        "li",
        { "data-key": choice.action },
        h("button", { type: "button", class: "choice", "aria-pressed": String(choice === this.chosen) }, choice.text),
      ),
    );
    return h("ul", { class: "choices all", "aria-label": "All turns" }, ...items);
  }

  close() {
    this.closed = true;
    this.seating.board.planned([]);
    this.seating.board.hint([]);
  }
}

/** Return the cells of a turn: its targets, or the cells that it changes. @param {ActionView} choice @returns {[number, number][]} */
function cells({ arrows, changes }) {
  if (arrows.length) return arrows.map(([, , x, y]) => [x, y]);
  return (changes ?? []).map(([x, y]) => [x, y]);
}
