// @ts-check
// All tournaments of the store, those that are being played in front.
/** @import {Show} from "./pages.js" */
/** @import {TournamentLine} from "./messages" */
import { h, refill, say } from "./element.js";
import { Poll } from "./poll.js";
import { sheet } from "./sheet.js";

const WAIT = 3000;

/** @param {Show} show @returns {Promise<() => void>} how to leave it */
export async function openTournaments(show) {
  await sheet("tournaments");
  const trouble = h("div", { class: "banner", role: "alert", hidden: true });
  const inside = h("div", { class: "tournament-list" }, h("p", { class: "empty" }, "Reading …"));
  show(
    h(
      "div",
      { class: "tournament" },
      h("div", { class: "wide head-part" }, h("h1", {}, "Tournaments")),
      trouble,
      h("section", { class: "card wide" }, inside),
    ),
    "Tournaments",
  );
  const complain = (/** @type {string} */ problem) => {
    trouble.hidden = !problem;
    say(trouble, problem);
  };
  const poll = new Poll(
    () => "/tournaments",
    WAIT,
    (lines) => refill(inside, listed(lines)),
    complain,
  );
  void poll.ask();
  return () => poll.close();
}

/** @param {TournamentLine[]} lines */
function listed(lines) {
  if (!lines.length) return empty();
  const first = [...lines].sort((one, other) => Number(other.playing) - Number(one.playing));
  return h("ul", { class: "rows" }, ...first.map(row));
}

/** @param {TournamentLine} one */
function row(one) {
  const { played, expected } = one;
  const ahead = one.leader && `${one.leader} ${played >= expected ? "won" : "leads"}`;
  const words =
    one.trouble ||
    [one.game, one.format, `${one.players} players`, ahead, one.date.slice(0, 10)].filter(Boolean).join(" · ");
  const state = played >= expected ? `${played} games` : `${played} of ${expected}`;
  const bar = h("progress", { max: Math.max(1, expected), value: played, "aria-hidden": "true" });
  return h(
    "li",
    { "data-key": one.name },
    h(
      "a",
      { href: `#/tournament/${encodeURIComponent(one.name)}` },
      h("strong", {}, one.name),
      h("span", {}, words),
      h("span", { class: one.playing ? "ended live" : "ended" }, state, bar),
    ),
  );
}

function empty() {
  return h(
    "div",
    { class: "empty" },
    h("p", {}, "No tournaments here yet."),
    h("p", {}, "One is played from the terminal, and shows here while it is played, if the page has the same store:"),
    h(
      "pre",
      {},
      "noctagon tournament --players champion greedy random --maps duel ring --store noctagon.db\nnoctagon web --store noctagon.db",
    ),
  );
}
