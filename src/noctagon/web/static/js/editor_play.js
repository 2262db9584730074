// @ts-check
// Playing on the map at once.
/** @import {GameInfo} from "./messages" */
import { fresh, h, say } from "./element.js";
import { PlayerChoice } from "./player_choice.js";
import { chooseDraft } from "./server_form.js";
import { begin, rival } from "./start.js";

export class Play {
  /** @param {GameInfo} game @param {() => string} position of the map; empty while it is none */
  constructor(game, position) {
    this.game = game;
    this.position = position;
    this.choices = [0, 1].map((side) => new PlayerChoice(game, side, side ? rival(game) : "human"));
    this.time = h("input", { id: fresh("time"), type: "number", min: 0.1, max: 60, step: 0.1, value: 1 });
    this.error = h("p", { class: "error", role: "alert", hidden: true });
    this.button = h("button", { type: "submit", class: "primary" }, "Play on this map");
    this.element = h(
      "form",
      { class: "card play-it", on: { submit: (/** @type {Event} */ event) => this.submit(event) } },
      h("h2", {}, "Play it"),
      ...this.choices.map((choice) => choice.element),
      h(
        "div",
        { class: "row" },
        h("label", { class: "field", for: this.time.id }, h("span", {}, "Seconds to think"), this.time),
        h("span", { class: "grow" }),
        this.button,
      ),
      h("a", { class: "quiet button", href: "#/servers", on: { click: chooseDraft } }, "Serve it to bots"),
      this.error,
    );
  }

  update() {
    this.button.disabled = !this.position();
  }

  /** @param {Event} event */
  async submit(event) {
    event.preventDefault();
    this.error.hidden = true;
    this.button.disabled = true;
    try {
      await begin({
        game: this.game.name,
        position: this.position(),
        players: [this.choices[0].spec, this.choices[1].spec],
        time: Number(this.time.value) || 1,
      });
    } catch (error) {
      this.error.hidden = false;
      say(this.error, error instanceof Error ? error.message : String(error));
    } finally {
      this.update();
    }
  }
}
