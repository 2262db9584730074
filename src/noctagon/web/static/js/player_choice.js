// @ts-check
// The choice of who plays a side: you, or a player of the package with its options.
/** @import {GameInfo} from "./messages" */
import { fill, fresh, h, say } from "./element.js";
import { sideTint } from "./symbols.js";

export class PlayerChoice {
  /** @param {GameInfo} game @param {number} side @param {string} chosen */
  constructor(game, side, chosen) {
    this.game = game;
    this.select = h(
      "select",
      { id: fresh("player"), on: { change: () => this.changed() } },
      h("option", { value: "human" }, "You"),
      ...game.players.map((player) => h("option", { value: player.name }, player.name)),
    );
    this.select.value = chosen;
    this.about = h("p", { class: "about" });
    this.options = h("div", { class: "options" });
    this.details = h("details", {}, h("summary", {}, "Options"), this.options);
    this.element = h(
      "div",
      { class: `player-choice ${sideTint(new Map(), game.sides, side)}` },
      h("label", { for: this.select.id }, game.sides[side], h("small", {}, side ? "moves second" : "moves first")),
      this.select,
      this.about,
      this.details,
    );
    /** @type {Map<string, HTMLInputElement>} */
    this.inputs = new Map();
    this.changed();
  }

  changed() {
    const player = this.game.players.find((one) => one.name === this.select.value);
    say(this.about, player?.about ?? "Click groups on the board, or use the keyboard.");
    const options = Object.entries(player?.options ?? {});
    this.inputs = new Map(
      options.map(([name, usual]) => [
        name,
        h("input", { id: fresh("option"), type: "text", placeholder: String(usual), autocomplete: "off" }),
      ]),
    );
    this.details.hidden = !options.length;
    fill(
      this.options,
      ...[...this.inputs].map(([name, input]) =>
        h("label", { class: "field", for: input.id }, h("span", {}, name), input),
      ),
    );
  }

  /** The player as text: its name, and the options that differ from the usual ones. */
  get spec() {
    const given = [...this.inputs]
      .filter(([, input]) => input.value.trim())
      .map(([name, input]) => `${name}=${input.value.trim()}`);
    return given.length ? `${this.select.value}:${given.join(",")}` : this.select.value;
  }
}
