// @ts-check
// The first page: a game that is being played, a game in two clicks, what was played lately.
/** @import {Show} from "./pages.js" */
/** @import {GameInfo} from "./types" */
import { ApiError, get } from "./api.js";
import { fill, h, say } from "./element.js";
import { keptGames, recentGames, tournaments } from "./lists.js";
import { SetupForm } from "./setup_form.js";
import { games, quickStart } from "./start.js";
import { SmallBoard } from "./watch.js";

const BUSY = 503;
const AGAIN = 4000;
const LISTS = 15000;
/** How long one waits for room for a demonstration: until a game has ended. */
const PATIENCE = 15000;

/** @param {Show} show @returns {Promise<() => void>} how to leave it */
export async function openHome(show) {
  const page = new HomePage();
  show(page.element);
  await page.fill();
  return () => page.close();
}

class HomePage {
  constructor() {
    this.closed = false;
    this.timer = 0;
    this.lister = 0;
    /** @type {SmallBoard | null} */
    this.demo = null;
    this.quick = h("div", { class: "quick" });
    this.problem = h("p", { class: "error", role: "alert", hidden: true });
    this.demoSlot = h("div", { class: "demo-slot", "aria-label": "A game that is being played now" });
    this.setup = h("section", { class: "new-game", id: "new" }, h("h2", {}, "New game"));
    this.recent = h("section", { class: "card" }, h("h2", {}, "Games"));
    this.tournaments = h("section", { class: "card" }, h("h2", {}, "Tournaments"));
    this.element = h(
      "div",
      { class: "home" },
      h(
        "section",
        { class: "hero" },
        h("div", { class: "pitch" }, h("h1", {}, "A ring for game\u2011playing minds"), h("p", { class: "lead" }, "Watch two of our players, or take a side yourself. The rules are quick to learn; the odds are shown before you commit."), this.quick, this.problem),
        this.demoSlot,
      ),
      this.setup,
      h("div", { class: "lists" }, this.recent, this.tournaments),
    );
  }

  async fill() {
    void this.showDemo();
    void this.showLists();
    this.lister = window.setInterval(() => {
      if (!document.hidden) void this.showLists();
    }, LISTS);
    try {
      const known = await games();
      if (this.closed) return;
      fill(this.quick, ...known.map((game, number) => h("button", { type: "button", class: number ? "large" : "primary large", on: { click: () => void this.start(game) } }, `Play ${game.title}`)));
      this.setup.append(new SetupForm(known).element);
    } catch (error) {
      this.complain(error);
    }
  }

  /** Begin a game at once; the buttons wait with whoever pressed one. @param {GameInfo} game */
  async start(game) {
    const buttons = [...this.quick.querySelectorAll("button")];
    for (const button of buttons) button.disabled = true;
    this.problem.hidden = true;
    try {
      await quickStart(game);
    } catch (error) {
      this.complain(error);
    }
    for (const button of buttons) button.disabled = false;
  }

  /** @param {unknown} error */
  complain(error) {
    this.problem.hidden = false;
    say(this.problem, error instanceof Error ? error.message : String(error));
  }

  /** The demo's next game follows when one has ended. */
  async showDemo() {
    try {
      /** @type {{id: string}} */
      const { id } = await get("/tables/demo");
      const board = await SmallBoard.open(id);
      if (this.closed) {
        board.close();
        return;
      }
      this.demo?.close();
      this.demo = board;
      fill(this.demoSlot, board.element);
      const after = () => {
        this.timer = window.setTimeout(() => void this.showDemo(), AGAIN);
      };
      if (board.table.result) after();
      else for (const event of ["end", "gone"]) board.table.addEventListener(event, after, { once: true });
    } catch (error) {
      if (this.closed) return;
      const crowded = error instanceof ApiError && error.status === BUSY;
      if (!this.demo) fill(this.demoSlot, h("p", { class: "empty" }, crowded ? "All boards are taken. The games that are being played are listed below." : "The server does not answer; trying again."));
      this.timer = window.setTimeout(() => void this.showDemo(), crowded ? PATIENCE : AGAIN);
    }
  }

  async showLists() {
    try {
      const [recent, kept, played] = await Promise.all([recentGames(), keptGames(), tournaments()]);
      if (this.closed) return;
      fill(this.recent, h("h2", {}, "Games"), recent, kept && h("h3", {}, "Kept"), kept);
      fill(this.tournaments, h("h2", {}, "Tournaments"), played);
    } catch {
      // the server does not answer: the demo tries again, and says so
    }
  }

  close() {
    this.closed = true;
    clearTimeout(this.timer);
    clearInterval(this.lister);
    this.demo?.close();
  }
}
