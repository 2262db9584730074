// @ts-check
// The table of a tournament: places, points, strength with its error bar, sides, conduct.
/** @import {StandingsRow, TournamentView} from "./messages" */
import { h } from "./element.js";
import { points } from "./heat.js";
import { plural } from "./names.js";
import { axis, ratingScale, ratingStrip, sideStrip, signed } from "./strips.js";

/** A player's place, once they have played. @param {StandingsRow} row */
export const placed = (row) => (row.disqualified || !row.played ? "" : String(row.place));

/** @param {TournamentView} tournament */
export function ranking(tournament) {
  const on = ratingScale(tournament.rows);
  const bonus = tournament.rows.some((row) => row.bonus);
  const head = [
    h("th", { scope: "col" }, h("span", { class: "unseen" }, "Place")),
    h("th", { scope: "col", class: "text" }, "Player"),
    h("th", { scope: "col" }, "Points"),
    h("th", { scope: "col", class: "spare" }, "Won–drawn–lost"),
    ...tournament.tie_breaks.map((name) => h("th", { scope: "col", class: "spare" }, name)),
    bonus && h("th", { scope: "col", class: "spare" }, "Bonus"),
    h("th", { scope: "col" }, "Elo"),
    h("th", { scope: "col", class: "picture" }, "Strength, with its 95 % interval"),
    h("th", { scope: "col", class: "spare" }, "A turn"),
  ];
  const spare = tournament.tie_breaks.length + (bonus ? 1 : 0);
  const rows = tournament.rows.map((row) => line(row, tournament, on, bonus));
  const last = h(
    "tr",
    { class: "axis-row", "aria-hidden": "true" },
    h("td", { colspan: 3 }),
    ...Array.from({ length: spare + 1 }, () => h("td", { class: "spare" })),
    h("td", {}),
    h("td", { class: "picture" }, axis(on)),
    h("td", { class: "spare" }),
  );
  return h(
    "div",
    { class: "box", tabindex: "0", role: "region", "aria-label": "Standings" },
    h(
      "table",
      { class: "ranking" },
      h("caption", { class: "unseen" }, "Standings"),
      h("thead", {}, h("tr", {}, ...head)),
      h("tbody", {}, ...rows, last),
    ),
  );
}

/** @param {StandingsRow} row @param {TournamentView} tournament @param {import("./strips.js").Scale} on @param {boolean} bonus */
function line(row, tournament, on, bonus) {
  const elo = row.elo === null ? "" : signed(row.elo);
  const error = row.error === null ? null : h("small", {}, ` ± ${Math.round(row.error)}`);
  const notes = [
    row.disqualified && `disqualified: ${row.disqualified}`,
    row.faults && `${row.faults} lost by a fault`,
    row.late && `${plural(row.late, "turn")} late`,
    row.illegal && plural(row.illegal, "illegal turn"),
  ]
    .filter(Boolean)
    .join(", ");
  return h(
    "tr",
    { class: row.disqualified ? "out" : row.place <= 3 && row.played ? `place-${row.place}` : "" },
    h("td", { class: "place" }, placed(row)),
    h("th", { scope: "row", class: "text" }, row.name, notes && h("small", {}, notes)),
    h("td", { class: "strong" }, points(row.points), row.games > 0 && h("small", {}, ` of ${row.games}`)),
    h("td", { class: "spare" }, `${row.wins}–${row.draws}–${row.losses}`),
    ...tournament.tie_breaks.map((_, at) => h("td", { class: "spare" }, points(row.tie_breaks[at] ?? 0))),
    bonus && h("td", { class: "spare" }, points(row.bonus)),
    h("td", { class: "elo" }, elo, error),
    h("td", { class: "picture" }, ratingStrip(on, row.elo, row.error)),
    h(
      "td",
      { class: "spare", title: row.longest ? `the longest took ${row.longest.toFixed(2)} s` : "" },
      row.longest ? `${row.seconds_per_turn.toFixed(2)} s` : "",
    ),
  );
}

/** Return the scores of each player moving first and second. @param {TournamentView} tournament */
export function sides(tournament) {
  const percent = (/** @type {import("./messages").MeanScore | null} */ score) =>
    score ? `${Math.round(100 * score.mean)} %` : "–";
  const head = tournament.sides.map((name, side) =>
    h("th", { scope: "col" }, h("span", { class: `key ${side ? "cool" : "warm"}` }, name)),
  );
  const rows = tournament.rows
    .filter((row) => !row.disqualified)
    .map((row) =>
      h(
        "tr",
        {},
        h("th", { scope: "row", class: "text" }, row.name),
        ...row.sides.map((score) =>
          h(
            "td",
            {
              title: score
                ? `95 %: ${Math.round(100 * score.low)} to ${Math.round(100 * score.high)} % of ${score.games} games`
                : "",
            },
            percent(score),
          ),
        ),
        h("td", { class: "picture" }, sideStrip(row.sides.map((score) => score?.mean))),
      ),
    );
  return h(
    "div",
    { class: "box", tabindex: "0", role: "region", "aria-label": "Scores by side" },
    h(
      "table",
      { class: "ranking" },
      h("caption", { class: "unseen" }, "Scores by side"),
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          h("th", { scope: "col", class: "text" }, "Player"),
          ...head,
          h("th", { scope: "col", class: "picture" }),
        ),
      ),
      h("tbody", {}, ...rows),
    ),
  );
}
