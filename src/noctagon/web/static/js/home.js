// @ts-check
// The first page: a demonstration game, a game in two clicks, the latest games.
/** @import {Show} from "./pages.js" */
/** @import {GameInfo, TableFound} from "./messages" */
import { ApiError, NoAnswer, get } from "./api.js";
import { Banner } from "./banner.js";
import { fill, h, refill, say } from "./element.js";
import { keptGames, recentGames, tournaments } from "./lists.js";
import { notice, preparation } from "./preparing.js";
import { SetupForm } from "./setup_form.js";
import { games, quickStart } from "./start.js";
import { SmallBoard } from "./watch.js";

const AWAY = "The server does not answer. Trying again …";
const BUSY = 503;
const AGAIN = 4000;
const COMING = "The first game begins as soon as its rules are loaded.";
const LISTS = 15000;
/** Milliseconds between attempts to get a demonstration while there is no room. */
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
    /** @type {SetupForm | null} */
    this.form = null;
    this.banner = new Banner();
    this.quick = h("div", { class: "quick" });
    this.early = h("p", { class: "empty", role: "status", hidden: true });
    this.problem = h("p", { class: "error", role: "alert", hidden: true });
    this.coming = h("p", { class: "empty" }, COMING);
    this.demoSlot = h(
      "div",
      { class: "demo-slot", "aria-label": "A game that is being played now" },
      h("div", { class: "small-board coming" }, this.coming, notice.element),
    );
    this.setup = h("section", { class: "new-game", id: "new" }, h("h2", {}, "New game"));
    this.recent = h("section", { class: "card" }, h("h2", {}, "Games"));
    this.tournaments = h("section", { class: "card" }, h("h2", {}, "Tournaments"));
    this.element = h(
      "div",
      { class: "home" },
      this.banner.element,
      h(
        "section",
        { class: "hero" },
        h(
          "div",
          { class: "pitch" },
          h("h1", {}, "A ring for game\u2011playing minds"),
          h(
            "p",
            { class: "lead" },
            "Watch two of our players, or take a side yourself. The rules are quick to learn; the odds are shown before you commit.",
          ),
          this.quick,
          this.early,
          this.problem,
        ),
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
    await this.showForm();
  }

  async showForm() {
    try {
      const known = await games();
      if (this.closed || this.form) return;
      fill(
        this.quick,
        ...known.map((game, number) =>
          h(
            "button",
            { type: "button", class: number ? "large" : "primary large", on: { click: () => void this.start(game) } },
            `Play ${game.title}`,
          ),
        ),
      );
      this.form = new SetupForm(known);
      this.setup.append(this.form.element);
    } catch (error) {
      if (error instanceof NoAnswer) this.reached(false);
      else this.complain(error);
    }
  }

  /** Show that the server does not answer, and load what is missing once it does again. @param {boolean} answers */
  reached(answers) {
    if (this.closed) return;
    if (!answers) this.banner.show(AWAY);
    else this.banner.hide();
    if (answers && !this.form) void this.showForm();
  }

  /** Begin a game at once; the buttons are disabled meanwhile. @param {GameInfo} game */
  async start(game) {
    const buttons = [...this.quick.querySelectorAll("button")];
    for (const button of buttons) button.disabled = true;
    this.problem.hidden = true;
    try {
      await quickStart(game, this.early);
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
      await preparation.any();
      /** @type {TableFound} */
      const { id } = await get("/tables/demo");
      const board = await SmallBoard.open(id);
      if (this.closed) {
        board.close();
        return;
      }
      this.demo?.close();
      this.demo = board;
      document.body.append(notice.element);
      fill(this.demoSlot, board.element);
      this.reached(true);
      board.table.addEventListener("connection", () => this.reached(board.table.connected));
      const after = () => {
        this.timer = window.setTimeout(() => void this.showDemo(), AGAIN);
      };
      if (board.table.result) after();
      else for (const event of ["end", "gone"]) board.table.addEventListener(event, after, { once: true });
    } catch (error) {
      if (this.closed) return;
      const crowded = error instanceof ApiError && error.status === BUSY;
      if (error instanceof NoAnswer) this.reached(false);
      else if (!this.demo) {
        say(
          this.coming,
          crowded
            ? "All boards are taken. The games that are being played are listed below."
            : "There is no game to be seen now.",
        );
      }
      this.timer = window.setTimeout(() => void this.showDemo(), crowded ? PATIENCE : AGAIN);
    }
  }

  async showLists() {
    try {
      const [recent, kept, played] = await Promise.all([recentGames(), keptGames(), tournaments()]);
      if (this.closed) return;
      refill(this.recent, h("h2", {}, "Games"), recent, kept && h("h3", {}, "Kept"), kept);
      refill(this.tournaments, h("h2", {}, "Tournaments"), played);
      this.reached(true);
    } catch {
      this.reached(false);
    }
  }

  close() {
    this.closed = true;
    document.body.append(notice.element);
    clearTimeout(this.timer);
    clearInterval(this.lister);
    this.demo?.close();
  }
}
