// @ts-check
// The common parts of every person's turn: the panel, its words and buttons, errors, sending.
/** @import {Seating} from "./types" */
import { h, refill, say } from "./element.js";
import { howToPlay } from "./rules.js";
import { remember, remembered } from "./settings.js";

export class TurnPanel {
  /**
   * @param {Seating} seating
   * @param {{quick: string, keys: string, press: (key: string) => void}} options `press`: the button of a row of what is shown, by the row's `data-key`
   */
  constructor(seating, { quick, keys, press }) {
    this.seating = seating;
    this.sent = false;
    this.hint = h("p", { class: "hint-text", "aria-live": "polite" });
    this.error = h("p", { class: "error", role: "alert", hidden: true });
    this.body = h("div", { class: "turn-body" });
    this.body.addEventListener("click", ({ target }) => {
      const row = /** @type {Element} */ (target).closest("button")?.closest("li");
      if (row?.dataset.key) press(row.dataset.key);
    });
    this.play = h("button", { type: "button", class: "primary", disabled: true }, "Play this turn");
    this.quick = h("input", {
      type: "checkbox",
      on: { change: () => remember("quick", this.quick.checked ? "on" : "off") },
    });
    this.quick.checked = remembered("quick", "off") === "on";
    this.giveUp = h("button", { type: "button", class: "quiet", on: { click: () => this.resign() } }, "Resign");
    const back = seating.takeBack;
    this.element = h(
      "section",
      { class: `card turn-panel ${seating.tint}`, "aria-label": "Your turn" },
      h("h2", {}, `Your turn: ${seating.history.view.sides[seating.side]}`),
      this.hint,
      this.body,
      this.error,
      h(
        "div",
        { class: "row" },
        this.play,
        back && h("button", { type: "button", class: "quiet", on: { click: back.press } }, back.text),
        this.giveUp,
      ),
      h("label", { class: "switch" }, this.quick, quick),
      howToPlay(seating.history.view.game),
      h("p", { class: "keys-help" }, keys),
    );
  }

  /** @param {string} text */
  say(text) {
    say(this.hint, text);
  }

  /** @param {unknown} problem an error, or nothing */
  complain(problem) {
    this.error.hidden = !problem;
    say(this.error, problem instanceof Error ? problem.message : problem ? String(problem) : "");
  }

  /** Show the controls of the turn. If the focused one is gone, the board gets the focus. @param {...Node} parts */
  show(...parts) {
    const here = this.body.contains(document.activeElement);
    refill(this.body, ...parts);
    if (here && !this.body.contains(document.activeElement)) this.toBoard();
  }

  /** Say whether there is a turn to play. @param {boolean} possible */
  allow(possible) {
    const here = this.play === document.activeElement;
    this.play.disabled = this.sent || !possible;
    if (here && this.play.disabled) this.toBoard();
  }

  toBoard() {
    this.seating.board.element.focus({ preventScroll: true });
  }

  /** Send the turn; it stays here if the server refuses it. @param {string} action */
  async send(action) {
    if (this.sent || !action) return;
    this.sent = true;
    this.allow(false);
    this.complain(null);
    this.say("Sent.");
    try {
      await this.seating.submit(action);
    } catch (error) {
      this.sent = false;
      this.allow(true);
      this.complain(error);
    }
  }

  resign() {
    if (this.giveUp.dataset.sure) {
      this.seating.resign();
      return;
    }
    this.giveUp.dataset.sure = "yes";
    this.giveUp.textContent = "Really resign?";
    window.setTimeout(() => {
      delete this.giveUp.dataset.sure;
      this.giveUp.textContent = "Resign";
    }, 4000);
  }
}
