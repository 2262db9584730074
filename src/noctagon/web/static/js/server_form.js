// @ts-check
// The form that opens one of the course's TCP servers.
/** @import {GameInfo} from "./messages" */
/** @import {ServerView} from "./messages" */
import { post } from "./api.js";
import { draft } from "./draft.js";
import { fresh, h, say } from "./element.js";
import { plural } from "./names.js";
import { remember, remembered } from "./settings.js";

/** The name of the editor's map in the list of maps. */
const DRAFT = "/draft";

/** Let the form begin with the map of the editor. */
export function chooseDraft() {
  remember("server", JSON.stringify({ ...last(), map: DRAFT }));
}

/** Return the choices of last time. @returns {Record<string, any>} */
function last() {
  try {
    return JSON.parse(remembered("server", "{}")) ?? {};
  } catch {
    return {}; // it is of another version
  }
}

export class ServerForm {
  /** @param {GameInfo} game @param {(server: ServerView) => void} opened */
  constructor(game, opened) {
    this.opened = opened;
    this.host = select([
      ["127.0.0.1", "this machine only"],
      ["0.0.0.0", "other machines too"],
    ]);
    this.port = number(5555, 0, 65535);
    this.draft = draft();
    this.map = select([
      ...game.setups.map(({ name }) => /** @type {[string, string]} */ ([name, name])),
      ...(this.draft ? [/** @type {[string, string]} */ ([DRAFT, "the one of the editor"])] : []),
    ]);
    this.rules = select(game.rule_sets.map((name) => [name, name]));
    this.rules.value = "server";
    this.time = number(2, 0.1, 600, "any");
    this.duration = number(300, 1, 86_400, "any");
    this.games = number(1, 1, 1000);
    this.tables = number(1, 1, 64);
    this.opponent = select([
      ["", "none"],
      ...game.players.map(({ name }) => /** @type {[string, string]} */ ([name, name])),
    ]);
    this.lenient = h("input", { type: "checkbox" });
    this.reconnect = h("input", { type: "checkbox" });
    this.closes = h("p", { class: "closes" });
    for (const input of [this.games, this.tables, this.opponent])
      input.addEventListener("input", () => this.sayWhenItCloses());
    this.error = h("p", { class: "error", role: "alert", hidden: true });
    this.button = h("button", { type: "submit", class: "primary large" }, "Open the server");
    this.element = h(
      "form",
      {
        class: "card server-form",
        novalidate: true,
        on: { submit: (/** @type {Event} */ event) => this.submit(event) },
      },
      h("h2", {}, "Open a server"),
      h(
        "div",
        { class: "fields" },
        field("Who can connect", this.host),
        field("Port", this.port, "0: any free one"),
        field("Map", this.map),
        field("Rules", this.rules),
        field("Seconds a turn", this.time),
        field("Seconds a game", this.duration),
        field("Games of a pair", this.games),
        field("Tables at once", this.tables),
        field("House opponent", this.opponent),
      ),
      this.closes,
      h(
        "div",
        { class: "row" },
        h("label", { class: "switch" }, this.lenient, "An illegal turn costs the turn, not the game"),
        h("label", { class: "switch" }, this.reconnect, "A new connection for every game"),
        h("span", { class: "grow" }),
        this.button,
      ),
      this.error,
    );
    this.recall();
    this.sayWhenItCloses();
  }

  sayWhenItCloses() {
    const [games, tables] = [this.games, this.tables].map((input) => Math.max(1, Math.round(Number(input.value))));
    const who = this.opponent.value ? plural(tables, "program") : `${plural(tables, "pair")} of programs`;
    const played = tables === 1 ? `has played ${plural(games, "game")}` : `have played ${plural(games, "game")} each`;
    say(
      this.closes,
      `It closes by itself once ${who} ${played}. For a class, let it have more tables: each takes one ${this.opponent.value ? "program" : "pair"}.`,
    );
  }

  /** Return what is wrong with the numbers, in the form's words; empty if nothing is. */
  get fault() {
    const wrong = [this.port, this.time, this.duration, this.games, this.tables].find(
      (input) => !input.validity.valid || !(input.value || input === this.duration),
    );
    if (!wrong) return "";
    const name = wrong.labels?.[0]?.firstElementChild?.firstChild?.textContent;
    return `${name}: ${wrong.step === "any" ? "a number" : "a whole number"} from ${wrong.min} to ${wrong.max}`;
  }

  /** @returns {Record<string, unknown>} */
  get wanted() {
    return {
      host: this.host.value,
      port: Number(this.port.value),
      map: this.map.value === DRAFT ? this.draft : this.map.value,
      rules: this.rules.value,
      time: Number(this.time.value),
      duration: Number(this.duration.value) || null,
      games: Number(this.games.value),
      tables: Number(this.tables.value),
      lenient: this.lenient.checked,
      reconnect: this.reconnect.checked,
      opponent: this.opponent.value || null,
    };
  }

  /** Begin with what was chosen last time. */
  recall() {
    const before = last();
    for (const name of /** @type {const} */ ([
      "host",
      "port",
      "map",
      "rules",
      "time",
      "duration",
      "games",
      "tables",
      "opponent",
    ])) {
      const input = this[name];
      if (before[name] === undefined || before[name] === null) continue;
      if (input instanceof HTMLInputElement || [...input.options].some(({ value }) => value === before[name]))
        input.value = String(before[name]);
    }
    this.lenient.checked = before.lenient === true;
    this.reconnect.checked = before.reconnect === true;
  }

  /** @param {Event} event */
  async submit(event) {
    event.preventDefault();
    this.error.hidden = true;
    this.button.disabled = true;
    try {
      const { wanted, fault } = this;
      if (fault) throw new Error(fault);
      this.opened(await post("/servers", wanted));
      remember("server", JSON.stringify({ ...wanted, map: this.map.value }));
    } catch (error) {
      this.error.hidden = false;
      say(this.error, error instanceof Error ? capital(error.message) : String(error));
    } finally {
      this.button.disabled = false;
    }
  }
}

/** @param {[string, string][]} options */
const select = (options) =>
  h("select", { id: fresh("choice") }, ...options.map(([value, name]) => h("option", { value }, name)));

/** @param {number} value @param {number} min @param {number} max @param {number | "any"} [step] */
const number = (value, min, max, step = 1) =>
  h("input", { id: fresh("number"), type: "number", value, min, max, step });

/** @param {string} name @param {HTMLElement} control @param {string} [hint] */
const field = (name, control, hint) =>
  h("label", { class: "field", for: control.id }, h("span", {}, name, hint && h("small", {}, ` (${hint})`)), control);

/** @param {string} text */
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
