// @ts-check
// The end of a game, and the next things to do.
/** @import {Faces} from "./types" */
/** @import {LiveTable} from "./live.js" */
import { fill, h } from "./element.js";
import { resultText } from "./names.js";
import { rightsTo } from "./rights.js";
import { again } from "./start.js";
import { emblem, sideTint } from "./symbols.js";

export class Verdict {
  /** @param {LiveTable} table @param {Faces} faces @param {(problem: unknown) => void} complain */
  constructor(table, faces, complain) {
    this.table = table;
    this.faces = faces;
    this.complain = complain;
    this.element = h("section", { class: "card verdict", role: "status", hidden: true });
    this.update();
  }

  update() {
    const { result, snapshot } = this.table;
    this.element.hidden = !result;
    if (!result) return;
    const { winner } = result;
    const won = winner !== null;
    this.element.className = `card verdict ${won ? sideTint(this.faces, snapshot.sides, winner) : "drawn"}`;
    const [head, ...rest] = resultText(result).split(": ");
    const { request, keys = {} } = rightsTo(this.table.id) ?? {};
    const mine = Object.keys(keys);
    const mood = won && mine.length === 1 ? (mine[0] === String(winner) ? "You won: " : "You lost: ") : "";
    const rematch =
      request &&
      h(
        "button",
        { type: "button", class: "primary", on: { click: () => again(request).catch(this.complain) } },
        "Play again",
      );
    const record = h(
      "a",
      {
        class: "quiet button",
        href: `/api/v1/tables/${encodeURIComponent(this.table.id)}/record`,
        download: `noctagon-${snapshot.game}.json`,
      },
      "Save the record",
    );
    fill(
      this.element,
      won && emblem(this.faces, snapshot.sides, winner),
      h(
        "div",
        {},
        h("h2", {}, head),
        h("p", {}, mood, rest.join(": ")),
        h(
          "div",
          { class: "row" },
          rematch,
          h("a", { class: "button", href: "#/" }, "New game"),
          snapshot.origin !== "record" && record,
        ),
      ),
    );
  }
}
