// @ts-check
// The page of a position: the board, the champion's opinion, and a game from there.
/** @import {Show} from "./pages.js" */
/** @import {PositionView, Snapshot, View} from "./messages" */
import { Analysis } from "./analysis.js";
import { post } from "./api.js";
import { Board } from "./board.js";
import { h } from "./element.js";
import { History } from "./history.js";
import { STOPPED_CLOCK } from "./live.js";
import { resultText } from "./names.js";
import { Share, rulesOf } from "./share.js";
import { begin, games, rival } from "./start.js";
import { emblem, facesOf, sideTint } from "./symbols.js";
import { Viewer } from "./viewer.js";

/** @param {Show} show @param {string} game @param {string} text @returns {Promise<() => void>} how to leave it */
export async function openPosition(show, game, text) {
  const position = decodeURIComponent(text);
  const rules = rulesOf(location.hash);
  /** @type {PositionView} */
  const asked = await post("/positions", { game, position, rules });
  const page = new PositionPage(asked.view, asked, await facesOf(game), rules);
  show(page.element, `A position of ${game}`);
  return () => page.close();
}

class PositionPage {
  /** @param {View} view @param {PositionView} asked @param {import("./types").Faces} faces @param {Record<string, unknown> | null} rules */
  constructor(view, asked, faces, rules) {
    this.board = new Board(view, faces, { label: "The position" });
    this.viewer = new Viewer(this.board, new History(view));
    /** @type {Snapshot} */
    const snapshot = {
      id: "",
      game: view.game,
      setup: "",
      rules: rules ?? {},
      players: ["", ""],
      sides: view.sides,
      time: null,
      origin: "position",
      view,
      position: asked.position,
      frames: [],
      humans: [false, false],
      result: asked.result,
      live: false,
      paused: true,
      pace: 1,
      waiting: null,
      clock: STOPPED_CLOCK,
      spectators: 0,
      preparing: "",
      seed: 0,
      date: "",
    };
    const here = async () => asked.position;
    this.analysis = new Analysis(this.viewer, snapshot, faces, here);
    this.share = new Share(this.viewer, snapshot, here);
    this.problem = h("p", { class: "error", role: "alert" });
    const { sides, score, side, ply, limit } = view;
    const who = sides.map((name, number) =>
      h(
        "div",
        {
          class: `seat ${sideTint(faces, sides, number)} ${number ? "second" : "first"} ${number === side && !asked.result ? "on-move" : ""}`,
        },
        emblem(faces, sides, number),
        h("div", { class: "names" }, h("strong", { class: "side" }, name)),
        h("b", { class: "score" }, score[number]),
        h("div", { class: "small" }, number === side && !asked.result ? "to move" : ""),
      ),
    );
    const play = (/** @type {string} */ name, /** @type {number} */ human) =>
      h(
        "button",
        { type: "button", on: { click: () => void this.play(human, asked.position, rules) } },
        `Play the ${name} from here`,
      );
    this.element = h(
      "div",
      { class: `game position ${view.columns > view.rows * 1.8 ? "wide" : ""}` },
      h("h1", { class: "unseen" }, `A position: ${sides[0]} against ${sides[1]}`),
      h(
        "div",
        { class: "main-column" },
        h("header", { class: "seats" }, ...who),
        h("div", { class: "stage" }, this.board.element),
        h("p", { class: "facts" }, `turn ${ply} of ${limit} · ${resultText(asked.result) || `${sides[side]} to move`}`),
      ),
      h(
        "aside",
        { class: "side-column" },
        this.analysis.element,
        h(
          "section",
          { class: "card" },
          h("h2", {}, "Go on from here"),
          h("div", { class: "row" }, ...(asked.result ? [] : sides.map(play))),
          this.problem,
          this.share.element,
        ),
      ),
    );
    if (!asked.result) this.analysis.toggle();
  }

  /** @param {number} human @param {string} position @param {Record<string, unknown> | null} rules */
  async play(human, position, rules) {
    const { game } = this.board.view;
    try {
      const info = (await games()).find((one) => one.name === game);
      const other = info ? rival(info) : "random";
      const { name, plies, majority } = /** @type {any} */ (rules ?? {});
      const chosen = { ...(name && { rules: name }), ...(plies && { plies }), ...(majority && { majority }) };
      await begin({ game, position, ...chosen, players: human ? [other, "human"] : ["human", other], time: 1 });
    } catch (problem) {
      this.problem.textContent = problem instanceof Error ? problem.message : String(problem);
    }
  }

  close() {
    this.analysis.close();
    this.viewer.close();
  }
}
