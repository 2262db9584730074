// @ts-check
// What the server still compiles, this one time only: asked while that goes on, and shown at the foot of every page.
/** @import {PartView, PreparationView} from "./messages" */
import { holdups } from "./api.js";
import { h, refill, say } from "./element.js";

/** Milliseconds between an answer and the next question while something is being compiled. */
const WAIT = 600;
/** The same while it is only loaded. */
const SOON = 150;
/** The same while the server does not answer. */
const AWAY = 3000;
/** Pixels: on a window of this width the notice is small until it is opened. */
const NARROW = 544;

/** Has an event `change` whenever there is news. */
class Preparation extends EventTarget {
  constructor() {
    super();
    /** @type {PartView[]} */
    this.parts = [];
    /** Whether nothing is left to compile; false until that is known. */
    this.ready = false;
    this.following = false;
    holdups.addEventListener("held", () => void this.follow());
  }

  /** Ask until everything is ready. */
  async follow() {
    if (this.following) return;
    this.following = true;
    do {
      const news = await ask();
      if (news) {
        this.parts = news.parts;
        this.ready = news.ready;
        this.dispatchEvent(new Event("change"));
      }
      if (!this.ready) await new Promise((done) => setTimeout(done, !news ? AWAY : this.compiles ? WAIT : SOON));
    } while (!this.ready);
    this.following = false;
  }

  /** Whether anything is being compiled right now. */
  get compiles() {
    return this.parts.some((part) => part.state === "compiling");
  }

  /** Whether a game can be played. @param {string} game */
  playable(game) {
    return this.ready || this.parts.some((one) => one.game === game && one.part === "rules" && !pending(one));
  }

  /** Wait until any game can be played. @returns {Promise<void>} */
  async any() {
    while (!this.parts.some(({ game }) => this.playable(game))) await this.news();
  }

  /** Wait until a game can be played. @param {string} game @returns {Promise<void>} */
  async rules(game) {
    while (!this.playable(game)) await this.news();
  }

  news() {
    return new Promise((done) => this.addEventListener("change", done, { once: true }));
  }
}

/** @param {PartView} part */
const pending = ({ state }) => state === "waiting" || state === "compiling";

/** @returns {Promise<PreparationView | null>} nothing where the server does not answer */
async function ask() {
  try {
    const response = await fetch("/api/v1/preparation", { cache: "no-store" });
    return response.ok ? await response.json() : null;
  } catch {
    return null;
  }
}

export const preparation = new Preparation();

/** What is being compiled, and how far it is: at the foot of the page, or where a page has a better place for it. */
class Notice {
  constructor() {
    this.told = h("p", { class: "unseen", role: "status" });
    this.brief = h("small", {});
    this.rows = h("ul", {});
    const details = h(
      "details",
      { open: innerWidth > NARROW },
      h("summary", {}, h("strong", {}, "Compiling, this one time only"), this.brief),
      this.rows,
    );
    this.element = h(
      "aside",
      { class: "preparing", "aria-label": "What is being compiled", hidden: true },
      details,
      this.told,
    );
    preparation.addEventListener("change", () => this.update());
  }

  update() {
    const left = preparation.parts.filter(pending);
    const current = left.find((part) => part.state === "compiling");
    const goesOn = Boolean(current) || (!this.element.hidden && left.length > 0);
    if (goesOn) refill(this.rows, ...left.map(row));
    if (current) say(this.brief, current.text);
    if (goesOn === this.element.hidden)
      say(this.told, goesOn ? "The games are being compiled, this one time only." : "All games are compiled.");
    this.element.hidden = !goesOn;
  }
}

/** @param {PartView} part */
function row({ game, part, what, state, text, functions, total }) {
  const bar =
    state === "compiling"
      ? h("progress", { "aria-label": what, ...(total ? { max: total, value: functions } : {}) })
      : null;
  return h("li", { class: state, "data-key": `${game} ${part}` }, h("span", {}, what), h("small", {}, text), bar);
}

export const notice = new Notice();
