// @ts-check
// The line above the board: players, counts, the side to move, and clocks; legible from the last row of a classroom.
/** @import {Faces} from "./types" */
/** @import {LiveTable} from "./live.js" */
/** @import {Viewer} from "./viewer.js" */
import { h, say } from "./element.js";
import { duration, personName, playerName } from "./names.js";
import { emblem, sideTint } from "./symbols.js";

export class Seats {
  /** @param {Viewer} viewer @param {LiveTable} table @param {Faces} faces @param {(side: number) => boolean} mine whether this browser plays a side */
  constructor(viewer, table, faces, mine) {
    this.viewer = viewer;
    this.table = table;
    const { players, sides, humans } = table.snapshot;
    this.seats = [0, 1].map((side) =>
      seat(
        side,
        humans[side] ? personName(mine(side)) : playerName(players[side]),
        sides[side],
        sideTint(faces, sides, side),
        emblem(faces, sides, side),
      ),
    );
    this.shares = [0, 1].map((side) => h("span", { class: `share ${sideTint(faces, sides, side)}` }));
    this.element = h(
      "header",
      { class: "seats" },
      ...this.seats.map((one) => one.element),
      h("div", { class: "balance", "aria-hidden": "true" }, ...this.shares),
    );
    this.timer = window.setInterval(() => this.tick(), 200);
    this.update();
  }

  update() {
    const { history, n } = this.viewer;
    const score = history.score(n);
    const total = Math.max(score[0], 0) + Math.max(score[1], 0);
    const over = this.table.result && n === history.length;
    const mover = history.mover(n);
    for (const side of [0, 1]) {
      const one = this.seats[side];
      say(one.score, String(score[side]));
      const { gained, lost } = history.gains(side, n);
      say(one.gained, `+${gained}`);
      say(one.lost, `−${lost}`);
      one.element.classList.toggle("on-move", !over && mover === side);
      one.element.classList.toggle("winner", Boolean(over) && this.table.result?.winner === side);
      this.shares[side].style.flexGrow = String(total ? Math.max(score[side] / total, 0.001) : 0.5);
    }
    this.tick();
  }

  tick() {
    const { history, n, following } = this.viewer;
    const { clock } = this.table.state;
    for (const side of [0, 1]) {
      const one = this.seats[side];
      const running = following && clock.side === side && !this.table.result;
      const now = running ? this.table.elapsed() : 0;
      say(one.total, duration(history.seconds(side, n) + now));
      const limit = running ? clock.seconds : null;
      one.bar.hidden = !limit;
      if (limit) one.bar.style.transform = `scaleX(${Math.max(0, 1 - now / limit)})`;
    }
  }

  close() {
    clearInterval(this.timer);
  }
}

/** @param {number} side @param {string} player @param {string} name @param {string} tint @param {Element} picture */
function seat(side, player, name, tint, picture) {
  const score = h("b", { class: "score" });
  const total = h("span", { class: "clock", title: "Time used" });
  const gained = h("span", { class: "gained", title: "Gained so far" });
  const lost = h("span", { class: "lost", title: "Lost so far" });
  const bar = h("span", { class: "time-left", hidden: true });
  const element = h(
    "div",
    { class: `seat ${tint} ${side ? "second" : "first"}` },
    picture,
    h("div", { class: "names" }, h("strong", { class: "side" }, name), h("span", { class: "player" }, player)),
    score,
    h("div", { class: "small" }, total, gained, lost),
    bar,
  );
  return { element, score, total, gained, lost, bar };
}
