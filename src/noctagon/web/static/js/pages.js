// @ts-check
// All pages, by what stands behind the # of the address. A page is loaded when it is first opened.

/**
 * Puts a page where it is to be, and its title on the tab; does nothing if another page was opened meanwhile.
 * @typedef {(page: HTMLElement, title?: string) => void} Show
 */
/**
 * A page is handed to `show`; what is returned is how to leave it.
 * @typedef {(show: Show, ...rest: string[]) => Promise<() => void>} Open
 * @typedef {{path: RegExp, open: Open, link?: {href: string, text: string}}} Page
 */

/** @type {Page[]} `link`: what the page's head says; what the path's groups hold is handed to `open` */
export const PAGES = [
  { path: /^\/?$/, open: async (show) => (await import("./home.js")).openHome(show), link: { href: "#/", text: "Play" } },
  { path: /^\/game\/([\w-]+)$/, open: async (show, id) => (await import("./game.js")).openGame(show, id) },
  { path: /^\/records$/, open: async (show) => (await import("./records.js")).openRecords(show), link: { href: "#/records", text: "Replay" } },
  { path: /^\/replay\/([\w-]+)(?:\/(\d+))?$/, open: async (show, id, ply) => (await import("./replay.js")).openReplay(show, id, ply) },
  { path: /^\/position\/([\w-]+)\/(.+)$/, open: async (show, game, text) => (await import("./position.js")).openPosition(show, game, text) },
  { path: /^\/tournaments$/, open: async (show) => (await import("./tournaments.js")).openTournaments(show), link: { href: "#/tournaments", text: "Tournaments" } },
  { path: /^\/tournament\/.+$/, open: async (show) => (await import("./tournament.js")).openTournament(show) },
  { path: /^\/servers$/, open: async (show) => (await import("./servers.js")).openServers(show), link: { href: "#/servers", text: "Servers" } },
  { path: /^\/editor$/, open: async (show) => (await import("./editor.js")).openEditor(show), link: { href: "#/editor", text: "Maps" } },
];
