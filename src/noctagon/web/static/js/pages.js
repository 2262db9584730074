// @ts-check
// All pages, by the part of the address after #. A page is loaded when it is first opened.
import { NoAnswer } from "./api.js";

/**
 * Puts a page where it is to be, and its title on the tab; does nothing if another page was opened meanwhile.
 * @typedef {(page: HTMLElement, title?: string) => void} Show
 */
/**
 * A page is handed to `show`; what is returned is how to leave it.
 * @typedef {(show: Show, ...rest: string[]) => Promise<() => void>} Open
 * @typedef {{path: RegExp, open: Open}} Page
 */

/** A page's module did not load. The browser remembers that while the document is open: only a reload requests it again. */
export class NotLoaded extends NoAnswer {
  /** @param {unknown} cause */
  constructor(cause) {
    super();
    this.cause = cause;
  }
}

/** @template T @param {Promise<T>} module @returns {Promise<T>} */
const came = (module) =>
  module.catch((error) => {
    throw error instanceof TypeError ? new NotLoaded(error) : error;
  });

/** @type {Page[]} what the path's groups hold is handed to `open`; the links in the page's head are in index.html */
export const PAGES = [
  { path: /^\/?$/, open: async (show) => (await came(import("./home.js"))).openHome(show) },
  { path: /^\/game\/([\w-]+)$/, open: async (show, id) => (await came(import("./game.js"))).openGame(show, id) },
  { path: /^\/records$/, open: async (show) => (await came(import("./records.js"))).openRecords(show) },
  {
    path: /^\/replay\/([\w-]+)(?:\/(\d+))?$/,
    open: async (show, id, ply) => (await came(import("./replay.js"))).openReplay(show, id, ply),
  },
  {
    path: /^\/position\/([\w-]+)\/(.+)$/,
    open: async (show, game, text) => (await came(import("./position.js"))).openPosition(show, game, text),
  },
  { path: /^\/tournaments$/, open: async (show) => (await came(import("./tournaments.js"))).openTournaments(show) },
  { path: /^\/tournament\/.+$/, open: async (show) => (await came(import("./tournament.js"))).openTournament(show) },
  { path: /^\/servers$/, open: async (show) => (await came(import("./servers.js"))).openServers(show) },
  { path: /^\/editor$/, open: async (show) => (await came(import("./editor.js"))).openEditor(show) },
];
