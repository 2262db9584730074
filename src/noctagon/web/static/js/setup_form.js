// @ts-check
// The form of a new game: the game, its map, the players, the speed.
/** @import {GameInfo, SetupInfo} from "./messages" */
import { fill, fresh, h, say } from "./element.js";
import { PACES, USUAL_PACE } from "./paces.js";
import { preparation } from "./preparing.js";
import { PlayerChoice } from "./player_choice.js";
import { howToPlay } from "./rules.js";
import { begin, rival } from "./start.js";

export class SetupForm {
  /** @param {GameInfo[]} games */
  constructor(games) {
    this.games = games;
    this.game = games[0];
    this.setup = "";
    const group = fresh("game");
    const tabs = games.map((game, number) => {
      const radio = h("input", {
        type: "radio",
        name: group,
        value: game.name,
        on: { change: () => this.chooseGame(game) },
      });
      radio.checked = number === 0;
      return h("label", { class: "tab" }, radio, h("span", {}, game.title));
    });
    this.about = h("p", { class: "about" });
    this.rulesOf = h("div");
    this.maps = h("div", { class: "maps", role: "radiogroup", "aria-label": "Map" });
    this.mapAbout = h("p", { class: "about" });
    this.mapPart = h("fieldset", { class: "map-part" }, h("legend", {}, "Map"), this.maps, this.mapAbout);
    this.players = h("div", { class: "sides" });
    /** @type {PlayerChoice[]} */
    this.choices = [];
    this.pace = h("select", { id: fresh("pace") }, ...PACES.map(([pace, name]) => h("option", { value: pace }, name)));
    this.pace.value = String(USUAL_PACE);
    this.time = h("input", { id: fresh("time"), type: "number", min: 0.1, max: 60, step: 0.1 });
    this.rules = h("select", { id: fresh("rules") });
    this.plies = h("input", {
      id: fresh("plies"),
      type: "number",
      min: 1,
      max: 100_000,
      step: 1,
      placeholder: "as the rules say",
    });
    this.seed = h("input", {
      id: fresh("seed"),
      type: "number",
      min: 0,
      max: 2 ** 53,
      step: 1,
      placeholder: "by chance",
    });
    this.majority = h("input", { type: "checkbox" });
    this.majorityPart = h("label", { class: "switch" }, this.majority, "Holding more than half of the cells wins");
    this.early = h("p", { class: "empty", role: "status", hidden: true });
    this.error = h("p", { class: "error", role: "alert", hidden: true });
    this.button = h("button", { type: "submit", class: "primary large" }, "Start the game");
    this.element = h(
      "form",
      { class: "setup card", on: { submit: (/** @type {Event} */ event) => this.submit(event) } },
      h("fieldset", { class: "tabs" }, h("legend", { class: "unseen" }, "Game"), ...tabs),
      h("div", {}, this.about, this.rulesOf),
      h("fieldset", {}, h("legend", {}, "Who plays"), this.players),
      this.mapPart,
      h(
        "div",
        { class: "row wrap" },
        field("Speed", this.pace),
        field("Seconds to think", this.time),
        field("Rules", this.rules),
        h("span", { class: "grow" }),
        this.button,
      ),
      h(
        "details",
        {},
        h("summary", {}, "More"),
        h(
          "div",
          { class: "row wrap" },
          field("Turns at most", this.plies),
          field("Seed of the dice", this.seed),
          this.majorityPart,
        ),
      ),
      this.early,
      this.error,
    );
    this.chooseGame(this.game);
  }

  /** @param {GameInfo} game */
  chooseGame(game) {
    this.game = game;
    fill(this.about, game.about);
    fill(this.rulesOf, howToPlay(game.name));
    this.choices = [0, 1].map((side) => new PlayerChoice(game, side, side ? rival(game) : "human"));
    fill(this.players, ...this.choices.map((choice) => choice.element));
    this.time.value = String(Math.min(2, game.turn_seconds ?? 2));
    fill(this.rules, ...game.rule_sets.map((name) => h("option", { value: name }, name)));
    this.majorityPart.hidden = !game.rule_options.includes("majority");
    const group = fresh("map");
    fill(this.maps, ...game.setups.map((setup, number) => this.map(setup, group, number === 0)));
    this.mapPart.hidden = game.setups.length < 2;
    this.chooseMap(game.setups[0]);
  }

  /** @param {SetupInfo} setup @param {string} group @param {boolean} chosen */
  map(setup, group, chosen) {
    const radio = h("input", {
      type: "radio",
      name: group,
      value: setup.name,
      class: "unseen",
      on: { change: () => this.chooseMap(setup) },
    });
    radio.checked = chosen;
    const picture = `/api/v1/games/${encodeURIComponent(this.game.name)}/setups/${encodeURIComponent(setup.name)}/picture.svg`;
    const image = h("img", { alt: "", loading: "lazy", width: 120, height: 120 });
    void preparation.rules(this.game.name).then(() => image.setAttribute("src", picture)); // a picture that waits would hold up other requests
    image.addEventListener("load", () =>
      image.classList.toggle("tall", image.naturalHeight > image.naturalWidth * 0.9),
    );
    return h("label", { class: "map", title: setup.about }, radio, image, h("span", {}, setup.name));
  }

  /** @param {SetupInfo | undefined} setup */
  chooseMap(setup) {
    this.setup = setup?.name ?? "";
    say(this.mapAbout, setup?.about ?? "");
  }

  /** @param {Event} event */
  async submit(event) {
    event.preventDefault();
    this.error.hidden = true;
    this.button.disabled = true;
    try {
      await begin(
        {
          game: this.game.name,
          ...(this.setup ? { setup: this.setup } : {}),
          ...(this.rules.value ? { rules: this.rules.value } : {}),
          players: [this.choices[0].spec, this.choices[1].spec],
          time: Number(this.time.value) || 1,
          pace: Number(this.pace.value),
          ...(this.plies.value ? { plies: Number(this.plies.value) } : {}),
          ...(this.seed.value ? { seed: Number(this.seed.value) } : {}),
          ...(this.majority.checked && !this.majorityPart.hidden ? { majority: true } : {}),
        },
        this.early,
      );
    } catch (error) {
      this.error.hidden = false;
      say(this.error, error instanceof Error ? error.message : String(error));
    } finally {
      this.button.disabled = false;
    }
  }
}

/** @param {string} name @param {HTMLElement} control */
function field(name, control) {
  return h("label", { class: "field", for: control.id }, h("span", {}, name), control);
}
