// @ts-check
// The diagram of a tournament's format, such as the bracket of a knockout: rounds as columns, from left to right.
/** @import {Diagram, Pairing} from "./messages" */
import { h } from "./element.js";
import { points } from "./heat.js";

/** @param {Diagram} diagram */
export function diagram({ name, about, rounds, tree }) {
  const columns = rounds.map(({ title, pairings }) =>
    h("div", { class: "round" }, h("h3", {}, title), h("ol", {}, ...pairings.map((one) => h("li", {}, pairing(one))))),
  );
  const picture = h("div", { class: tree ? "bracket tree" : "bracket" }, ...columns);
  return h(
    "div",
    { class: "box", tabindex: "0", role: "region", "aria-label": `The ${name}` },
    h("p", { class: "about" }, about),
    picture,
  );
}

/** @param {Pairing} pairing */
function pairing({ first, second, scores, winner, note }) {
  const side = (/** @type {string} */ name, /** @type {0 | 1} */ which) => {
    const who = h("span", { class: "name" }, name || h("i", {}, "bye"));
    return h(
      "div",
      name && name === winner ? { class: "won" } : {},
      who,
      ...scores.map((score) => h("span", { class: "score" }, points(score[which]))),
    );
  };
  return h("div", { class: "tie" }, side(first, 0), side(second, 1), note ? h("small", {}, note) : null);
}
