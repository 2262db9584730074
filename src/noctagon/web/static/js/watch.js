// @ts-check
// A small live board: for the demo on the home page, the lists of games, a tournament's running games.
/** @import {Faces} from "./types" */
import { Board } from "./board.js";
import { h, say } from "./element.js";
import { LiveTable } from "./live.js";
import { namedResult, shortNames } from "./names.js";
import { emblem, facesOf, sideTint } from "./symbols.js";
import { Viewer } from "./viewer.js";

export class SmallBoard {
  /** @param {LiveTable} table @param {Faces} faces */
  constructor(table, faces) {
    this.table = table;
    const { view, sides } = table.snapshot;
    const players = shortNames(table.snapshot.players);
    this.viewer = new Viewer(new Board(view, faces, { label: `${players[0]} against ${players[1]}` }), table.history);
    this.scores = [h("b"), h("b")];
    this.status = h("p", { class: "status" });
    const who = [0, 1].map((side) =>
      h(
        "span",
        { class: `who ${sideTint(faces, sides, side)}` },
        emblem(faces, sides, side),
        h("span", {}, players[side]),
        this.scores[side],
      ),
    );
    this.element = h(
      "figure",
      { class: "small-board" },
      h("figcaption", {}, ...who),
      h(
        "a",
        { href: `#/game/${encodeURIComponent(table.id)}`, "aria-label": `Watch ${players[0]} against ${players[1]}` },
        this.viewer.board.element,
      ),
      this.status,
    );
    table.addEventListener("frame", () => this.viewer.arrived());
    table.addEventListener("rewound", () => this.viewer.rewound());
    table.addEventListener("reset", () => this.viewer.reset(table.history));
    table.addEventListener("end", () => this.update());
    this.viewer.addEventListener("moved", () => this.update());
    this.update();
  }

  /** @param {string} id */
  static async open(id) {
    const table = await LiveTable.open(id);
    return new SmallBoard(table, await facesOf(table.snapshot.game));
  }

  update() {
    const { viewer, table } = this;
    const score = viewer.history.score(viewer.n);
    this.scores.forEach((element, side) => say(element, String(score[side])));
    const ended = namedResult(table.result, table.snapshot.sides, shortNames(table.snapshot.players));
    this.status.title = ended; // there may be no room for all of it
    say(this.status, ended || `Turn ${viewer.n} · ${table.snapshot.setup}`);
  }

  close() {
    this.viewer.close();
    this.table.close();
    this.element.remove();
  }
}
