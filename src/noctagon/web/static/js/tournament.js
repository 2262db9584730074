// @ts-check
// A tournament as it stands, while it is played: running games, standings, crosstable, maps, sides, the last games.
/** @import {Show} from "./pages.js" */
/** @import {Progress, TournamentView} from "./messages" */
import { diagram } from "./diagram.js";
import { fill, h, say } from "./element.js";
import { heat, points } from "./heat.js";
import { LastBoards } from "./last_boards.js";
import { Poll } from "./poll.js";
import { placed, ranking, sides } from "./ranking.js";
import { RunningBoards } from "./running_boards.js";
import { sheet } from "./sheet.js";

const WAIT = 2000;

/** @param {Show} show @returns {Promise<() => void>} how to leave it */
export async function openTournament(show) {
  const name = decodeURIComponent(location.hash.split("/").slice(2).join("/"));
  await sheet("tournaments");
  const page = new TournamentPage(name);
  show(page.element, name);
  void page.poll.ask();
  void page.running.poll.ask();
  return () => page.close();
}

class TournamentPage {
  /** @param {string} name */
  constructor(name) {
    this.about = h("p", { class: "about" }, "Reading …");
    this.bar = h("progress", { max: 1, value: 0, "aria-label": "Games played" });
    this.progress = h("p", { class: "progress-text", role: "status" });
    this.trouble = h("div", { class: "banner", role: "alert", hidden: true });
    this.standings = h("section", { class: "card wide" });
    this.diagram = h("section", { class: "card wide" });
    this.crosstable = h("section", { class: "card" });
    this.maps = h("section", { class: "card" });
    this.sides = h("section", { class: "card" });
    this.games = h("section", { class: "card" });
    this.rules = h("section", { class: "card wide" });
    this.running = new RunningBoards(name);
    this.boards = new LastBoards(name);
    this.boardsTitle = h("h2", {}, "Games that ended last");
    this.boardsPart = h("section", { class: "wide", hidden: true }, this.boardsTitle, this.boards.element);
    this.element = h(
      "div",
      { class: "tournament" },
      h(
        "div",
        { class: "wide head-part" },
        h("p", { class: "back" }, h("a", { href: "#/tournaments" }, "Tournaments")),
        h("h1", {}, name),
        this.about,
        this.bar,
        this.progress,
      ),
      this.trouble,
      this.running.element,
      this.standings,
      this.diagram,
      this.crosstable,
      this.maps,
      this.boardsPart,
      this.sides,
      this.games,
      this.rules,
    );
    for (const part of [this.standings, this.diagram, this.crosstable, this.maps, this.sides, this.games, this.rules])
      part.hidden = true;
    this.poll = new Poll(
      () => `/tournaments/${encodeURIComponent(name)}`,
      WAIT,
      (tournament) => this.show(tournament),
      (problem) => this.complain(problem),
    );
  }

  /** @param {TournamentView} tournament */
  show(tournament) {
    const { plan, progress } = tournament;
    const much = [
      plan.title,
      plan.format_title,
      `${plan.players} players`,
      plan.maps.length === 1 ? plan.maps[0] : `${plan.maps.length} maps`,
      plan.time && `${plan.time} s a turn`,
    ];
    say(this.about, much.filter(Boolean).join(" · "));
    this.showProgress(progress);
    this.part(
      this.standings,
      progress.played >= progress.expected ? "Ranking" : "Standings so far",
      ranking(tournament),
    );
    this.part(
      this.diagram,
      tournament.diagram ? `The ${tournament.diagram.name}` : "",
      tournament.diagram ? diagram(tournament.diagram) : null,
    );
    this.part(this.crosstable, "Everybody against everybody", tournament.cells?.length ? crosstable(tournament) : null);
    this.part(this.maps, "On each map, in percent", tournament.by_map.length > 1 ? byMap(tournament) : null);
    this.part(this.sides, "By side", progress.played ? sides(tournament) : null);
    this.part(this.games, "Latest games", tournament.games.length ? latest(tournament) : null);
    this.part(
      this.rules,
      "How it is ranked",
      h("ul", { class: "rules" }, ...tournament.rules.map((rule) => h("li", {}, rule))),
    );
    this.boardsPart.hidden = !tournament.games.length;
    void this.boards.update(tournament.games);
  }

  /** @param {Progress} progress */
  showProgress({ played, expected, playing, per_minute: rate, left }) {
    this.bar.max = Math.max(1, expected);
    this.bar.value = played;
    const words = [`${played} of ${expected} games`];
    if (played >= expected) words.push("it is over");
    else if (playing)
      words.push(
        ...(rate ? [`${rate >= 10 ? Math.round(rate) : rate} a minute`] : []),
        ...(left === null ? [] : [`about ${long(left)} left`]),
      );
    else words.push(played ? "not being played now" : "not begun yet");
    this.progress.classList.toggle("live", playing);
    say(this.progress, words.join(", "));
  }

  /** @param {HTMLElement} section @param {string} title @param {HTMLElement | null} inside */
  part(section, title, inside) {
    section.hidden = !inside;
    if (!inside) return;
    const old = section.querySelector(".box");
    const [left, top] = old ? [old.scrollLeft, old.scrollTop] : [0, 0];
    fill(section, h("h2", {}, title), inside);
    inside.scrollTo(left, top);
  }

  /** @param {string} problem */
  complain(problem) {
    this.trouble.hidden = !problem;
    say(this.trouble, problem);
    if (problem && this.about.textContent === "Reading …") say(this.about, "");
  }

  close() {
    this.poll.close();
    this.running.close();
    this.boards.close();
  }
}

/** @param {TournamentView} tournament */
function crosstable({ rows, cells }) {
  const there = rows.map((row, index) => ({ row, index })).filter(({ row }) => !row.disqualified);
  const met = new Map((cells ?? []).map(([row, column, won, games]) => [`${row} ${column}`, { won, games }]));
  const labels = there.map(({ row }) => ({ name: row.name, place: placed(row) && `${placed(row)}.` }));
  return heat(
    labels,
    labels,
    (y, x) => {
      if (x === y) return "self";
      const found = met.get(`${there[y].index} ${there[x].index}`);
      return found
        ? {
            share: found.won / found.games,
            text: points(found.won),
            small: `of ${found.games}`,
            says: `${points(found.won)} of ${found.games} games`,
          }
        : null;
    },
    "Points of the row’s player against the column’s player",
    "–",
  );
}

/** @param {TournamentView} tournament */
function byMap({ rows, by_map: maps }) {
  const there = rows.map((row, index) => ({ row, index })).filter(({ row }) => !row.disqualified);
  return heat(
    there.map(({ row }) => ({ name: row.name, place: placed(row) && `${placed(row)}.` })),
    maps.map(([name]) => ({ name })),
    (y, x) => {
      const score = maps[x][1][there[y].index];
      return score
        ? {
            share: score.mean,
            text: String(Math.round(100 * score.mean)),
            small: "",
            says: `${Math.round(100 * score.mean)} % (${Math.round(100 * score.low)} to ${Math.round(100 * score.high)})`,
          }
        : null;
    },
    "Score of the row’s player on the column’s map, in percent",
    "on",
  );
}

/** @param {TournamentView} tournament */
function latest({ games }) {
  const rows = games
    .slice(0, 30)
    .map((game) =>
      h(
        "li",
        {},
        h(
          "a",
          { href: `#/replay/${game.id}` },
          h("strong", {}, ...names(game)),
          h("span", {}, `${game.setup} · ${game.plies} turns`),
          h("span", { class: "ended" }, game.winner === null ? "draw" : `${game.players[game.winner]} won`),
        ),
      ),
    );
  return h(
    "div",
    { class: "box plain", tabindex: "0", role: "region", "aria-label": "Latest games" },
    h("ul", { class: "rows" }, ...rows),
  );
}

/** @param {{players: [string, string], winner: number | null}} game */
const names = ({ players }) => [players[0], " – ", players[1]];

/** @param {number} seconds */
export function long(seconds) {
  if (seconds < 90) return `${Math.max(1, Math.round(seconds))} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}
