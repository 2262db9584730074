// @ts-check
// The page of a recorded game: the same board, history and graphs as a live one, with nothing to wait for.
/** @import {ReplayView} from "./messages" */
/** @import {Faces} from "./types" */
import { Banner } from "./banner.js";
import { Board } from "./board.js";
import { Controls } from "./controls.js";
import { h } from "./element.js";
import { EvaluationGraph } from "./evaluation.js";
import { Graph } from "./graph.js";
import { LiveTable } from "./live.js";
import { Log } from "./log.js";
import { resultText, shortNames } from "./names.js";
import { Seats } from "./seats.js";
import { bindShortcuts } from "./shortcuts.js";
import { Thinking } from "./thinking.js";
import { Viewer } from "./viewer.js";

export class ReplayPage {
  /** @param {ReplayView} snapshot a record's, which is not live @param {Faces} faces */
  constructor(snapshot, faces) {
    this.snapshot = { ...snapshot, live: false };
    const { players, sides, view, setup } = snapshot;
    this.faces = faces;
    this.table = new LiveTable(snapshot.id, this.snapshot);
    const [first, second] = shortNames(players);
    const title = `${sides[0]} (${first}) against ${sides[1]} (${second})`;
    /** The title of the tab. */
    this.title = `${first} – ${second}`;
    this.banner = new Banner();
    if (snapshot.trouble) this.banner.show(`Not all of the game is here: ${snapshot.trouble}.`);
    this.board = new Board(view, faces, { label: `Board: ${title}` });
    this.viewer = new Viewer(this.board, this.table.history);
    this.viewer.scrub(0);
    this.seats = new Seats(this.viewer, this.table, faces, () => false);
    this.controls = new Controls(this.viewer, this.table, null, (problem) => this.banner.complain(problem));
    this.evaluation = new EvaluationGraph(this.viewer, faces);
    this.graph = new Graph(this.viewer, faces);
    this.thinking = new Thinking(this.viewer, this.table, faces);
    this.thinking.element.hidden ||= !this.table.history.frames.some((frame) => frame.thought);
    this.log = new Log(this.viewer, faces);
    /** A place for turns that a replay leaves empty: nobody plays here. */
    this.hand = null;
    this.facts = h(
      "p",
      { class: "facts" },
      [setup, snapshot.date.slice(0, 10), resultText(snapshot.result)].filter(Boolean).join(" · "),
    );
    /** The place for panels of the server's page: analysis, share. */
    this.extra = h("div", { class: "extra" });
    this.element = h(
      "div",
      { class: `game replay ${view.columns > view.rows * 1.8 ? "wide" : ""}` },
      h("h1", { class: "unseen" }, title),
      this.banner.element,
      h(
        "div",
        { class: "main-column" },
        this.seats.element,
        h("div", { class: "stage" }, this.board.element),
        this.controls.element,
        this.facts,
        this.evaluation.element,
      ),
      h("aside", { class: "side-column" }, this.extra, this.log.element, this.graph.element, this.thinking.element),
      this.log.voice,
    );
    this.unbind = bindShortcuts(/** @type {any} */ (this));
    this.viewer.addEventListener("moved", () => this.update());
    this.viewer.addEventListener("mode", () => this.controls.update());
    this.update();
  }

  update() {
    const { viewer } = this;
    for (const part of [this.seats, this.controls, this.evaluation, this.graph, this.thinking, this.log]) part.update();
    const frame = viewer.history.frame(viewer.n);
    if (frame && !viewer.playing) this.log.heard(frame);
    this.showRow();
  }

  /** The turn shown is in sight in the list; the page itself stays where it is. */
  showRow() {
    const { shown, list } = this.log;
    if (!shown) {
      list.scrollTop = list.scrollHeight; // the first turns are at the end
      return;
    }
    const row = shown.getBoundingClientRect();
    const box = list.getBoundingClientRect();
    if (row.top < box.top || row.bottom > box.bottom)
      list.scrollTop += row.top - box.top - (box.height - row.height) / 2;
  }

  close() {
    this.unbind();
    this.seats.close();
    this.viewer.close();
    this.table.close();
  }
}
