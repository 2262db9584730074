// @ts-check
// The page of one game: the board, the players, the turns, and the controls.
/** @import {Show} from "./pages.js" */
/** @import {Snapshot, TurnFrame} from "./messages" */
/** @import {Hand, Rights, Seating} from "./types" */
import { post } from "./api.js";
import { Banner } from "./banner.js";
import { Board } from "./board.js";
import { Controls } from "./controls.js";
import { Cursor } from "./cursor.js";
import { h } from "./element.js";
import { addExtras } from "./game_extras.js";
import { Graph } from "./graph.js";
import { LiveTable } from "./live.js";
import { Log } from "./log.js";
import { personName, shortNames } from "./names.js";
import { rightsTo } from "./rights.js";
import { Seats } from "./seats.js";
import { bindShortcuts } from "./shortcuts.js";
import { hear } from "./sound.js";
import { facesOf, sideTint } from "./symbols.js";
import { Thinking } from "./thinking.js";
import { ListedTurn } from "./turn_listed.js";
import { TurnPlace } from "./turn_place.js";
import { VampiresTurn } from "./turn_vampires.js";
import { WargameTurn } from "./turn_wargame.js";
import { Verdict } from "./verdict.js";
import { Viewer } from "./viewer.js";

/** The classes for a person's turn in games that need more than a list of turns. @type {Record<string, new (seating: Seating) => Hand>} */
export const HANDS = { vampires: VampiresTurn, wargame: WargameTurn };

const PAUSED = "The game is paused.";

/**
 * Open the page of a live game.
 * @param {Show} show @param {string} id
 * @returns {Promise<() => void>} how to leave it
 */
export async function openGame(show, id) {
  const page = await GamePage.make(await LiveTable.open(id));
  const removeExtras = addExtras(page);
  show(page.element, page.title);
  return () => {
    removeExtras();
    page.close();
  };
}

/** A game page over any table: live ones follow their feed, others (`live: false` snapshots) are only looked at. */
export class GamePage {
  /** @param {LiveTable} table @param {import("./types").Faces} faces */
  constructor(table, faces) {
    this.table = table;
    const { snapshot } = table;
    /** @type {Rights | null} */
    this.rights = rightsTo(table.id);
    /** @type {Hand | null} what a person plays with, while its turn is in sight */
    this.hand = null;
    /** @type {{turn: string, hand: Hand} | null} the turn in the making: looking back does not end it */
    this.begun = null;
    this.faces = faces;
    const { sides, players, humans } = snapshot;
    const names = shortNames(players);
    const [first, second] = names.map((name, side) => (humans[side] ? personName(false) : name));
    const title = `${sides[0]} (${first}) against ${sides[1]} (${second})`;
    /** The title of the tab. */
    this.title = names.join(" – ");
    this.banner = new Banner();
    this.board = new Board(snapshot.view, faces, { label: `Board: ${title}` });
    this.viewer = new Viewer(this.board, table.history);
    this.seats = new Seats(this.viewer, table, faces, (side) => String(side) in (this.rights?.keys ?? {}));
    this.controls = new Controls(this.viewer, table, this.rights?.key ?? null, (problem) =>
      this.banner.complain(problem),
    );
    this.graph = new Graph(this.viewer, faces);
    this.thinking = new Thinking(this.viewer, table, faces);
    this.log = new Log(this.viewer, faces);
    this.verdict = new Verdict(table, faces, (problem) => this.banner.complain(problem));
    this.cursor = new Cursor(
      this.board,
      (x, y) => this.hand?.pick(x, y),
      (text) => this.log.announce(text),
    );
    this.cursor.describe = (x, y) => this.hand?.describe(x, y) ?? "";
    this.turn = new TurnPlace(this.board.element);
    /** The turn, or the text in its place, that is shown to the person here. */
    this.turnShown = "";
    this.stage = h("div", { class: "stage" }, this.board.element);
    /** The place for panels of other modules (analysis, evaluation graph). */
    this.extra = h("div", { class: "extra" });
    const { rows, columns } = snapshot.view;
    this.element = h(
      "div",
      { class: `game ${columns > rows * 1.8 ? "wide" : ""}` },
      h("h1", { class: "unseen" }, title),
      this.banner.element,
      h("div", { class: "main-column" }, this.seats.element, this.stage, this.controls.element),
      h(
        "aside",
        { class: "side-column" },
        this.verdict.element,
        this.turn.element,
        this.graph.element,
        this.thinking.element,
        this.extra,
        this.log.element,
      ),
      this.log.voice,
    );
    this.unbind = bindShortcuts(this);
    this.listen();
    this.updateHand();
  }

  /** @param {LiveTable} table */
  static async make(table) {
    return new GamePage(table, await facesOf(table.snapshot.game));
  }

  listen() {
    const { table, viewer } = this;
    const on = (/** @type {string} */ name, /** @type {(event: any) => void} */ act) =>
      table.addEventListener(name, act);
    on("frame", (event) => {
      /** @type {TurnFrame} */
      const frame = event.detail;
      if (viewer.following) {
        hear(frame);
        this.log.heard(frame); // first what was played, then whose turn it is
      }
      viewer.arrived();
      this.updateHand();
    });
    on("rewound", () => {
      this.log.announce("Turns were taken back."); // and then whose turn it is
      viewer.rewound();
      this.graph.reset();
      this.updateAll();
    });
    on("reset", () => {
      viewer.reset(table.history);
      this.graph.reset();
      this.log.reset();
      this.updateAll();
    });
    on("state", () => {
      this.seats.tick();
      this.controls.update();
      this.updateHand();
    });
    on("thinking", () => this.thinking.update());
    on("end", () => this.updateAll());
    on("gone", () =>
      this.banner.show("This game is not on the server any more. If its games are kept, it is under Replay.", "error"),
    );
    on("connection", () => {
      if (table.connected) this.banner.hide();
      else this.banner.show("The connection is lost. Trying again …");
    });
    viewer.addEventListener("moved", () => this.updateShown());
    viewer.addEventListener("mode", () => {
      this.controls.update();
      this.updateHand();
    });
  }

  updateShown() {
    this.seats.update();
    this.controls.update();
    this.graph.update();
    this.thinking.update();
    this.log.update();
    this.updateHand();
  }

  updateAll() {
    this.verdict.update();
    this.updateShown();
  }

  /** Return the side of this browser whose turn it is; null: none. */
  get asked() {
    const { waiting } = this.table.state;
    const mine = waiting !== null && this.table.snapshot.humans[waiting] && this.rights?.keys[String(waiting)];
    return mine && !this.table.result ? waiting : null;
  }

  /** Return why a person who plays here has nothing to do now; empty if nobody here plays, and the game goes on. */
  waitingFor() {
    const { snapshot, history, result, state } = this.table;
    if (result || !snapshot.live) return "";
    if (state.preparing) return state.preparing;
    if (!Object.keys(this.rights?.keys ?? {}).length) return "";
    if (!this.viewer.following) return "You are looking at an earlier turn.";
    if (state.paused) return PAUSED;
    const mover = history.mover(history.length);
    return `${snapshot.sides[mover]} on move: ${snapshot.humans[mover] ? personName(false) : shortNames(snapshot.players)[mover]} …`;
  }

  /** Give the person whose turn it is the means to play it, and take them away afterwards. */
  updateHand() {
    const { asked } = this;
    const turn = asked === null ? "" : `${asked}/${this.table.history.length}`;
    if (this.begun && this.begun.turn !== turn) {
      this.begun.hand.close();
      this.begun = null;
    }
    const here = asked !== null && this.viewer.following;
    const now = here ? turn : this.waitingFor();
    if (this.turnShown === now) return;
    this.turnShown = now;
    this.hand = here ? (this.begun ??= { turn, hand: this.deal(asked) }).hand : null;
    this.thinking.hush(here);
    this.stage.classList.toggle("asked", here);
    if (this.hand) this.turn.show(this.hand);
    else this.turn.wait(now, now === PAUSED && this.controls.steers ? () => this.controls.playOrPause() : null);
  }

  /** The means to play a turn that begins. @param {number} side */
  deal(side) {
    const HandOf = HANDS[this.table.snapshot.game] ?? ListedTurn;
    this.log.announce(`Your turn: ${this.table.snapshot.sides[side]}.`);
    return new HandOf(this.seating(side));
  }

  /** @param {number} side @returns {Seating} */
  seating(side) {
    const { board, table } = this;
    const { length } = table.history;
    const act = (/** @type {string} */ what, more = {}, by = side) =>
      post(`/tables/${encodeURIComponent(table.id)}/${what}`, {
        side: by,
        key: this.rights?.keys[String(by)],
        ...more,
      });
    return {
      board,
      history: table.history,
      rules: table.snapshot.rules,
      position: () => table.positionAt(length),
      side,
      tint: sideTint(this.faces, table.snapshot.sides, side),
      submit: async (action) => void (await act("turn", { action })),
      tell: (text) => this.log.announce(text),
      takeBack: this.takeBack(side, (by) => void act("undo", {}, by).catch((problem) => this.banner.complain(problem))),
      resign: () => void act("resign").catch((problem) => this.banner.complain(problem)),
    };
  }

  /** Return how to take back: two persons at one board take back the last turn, others their own last turn and all after it. @param {number} side @param {(side: number) => void} undo a side's last turn @returns {Seating["takeBack"]} */
  takeBack(side, undo) {
    const { frames } = this.table.history;
    const last = frames.at(-1);
    if (last && Object.keys(this.rights?.keys ?? {}).length === 2)
      return { text: "Take back the last turn", press: () => undo(last.side) };
    return frames.some((frame) => frame.side === side)
      ? { text: "Take back my last turn", press: () => undo(side) }
      : null;
  }

  close() {
    this.unbind();
    this.begun?.hand.close();
    this.seats.close();
    this.viewer.close();
    this.table.close();
  }
}
