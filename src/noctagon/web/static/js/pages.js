// @ts-check
// All pages, by what stands behind the # of the address. A page is loaded when it is first opened.

/**
 * A page is put into `root` and returns how to leave it.
 * @typedef {(root: HTMLElement, ...rest: string[]) => Promise<() => void>} Open
 * @typedef {{path: RegExp, open: Open, link?: {href: string, text: string}}} Page
 */

/** @type {Page[]} `link`: what the page's head says; what the path's groups hold is handed to `open` */
export const PAGES = [
  { path: /^\/?$/, open: async (root) => (await import("./home.js")).openHome(root), link: { href: "#/", text: "Play" } },
  { path: /^\/game\/([\w-]+)$/, open: async (root, id) => (await import("./game.js")).openGame(root, id) },
  { path: /^\/records$/, open: async (root) => (await import("./records.js")).openRecords(root), link: { href: "#/records", text: "Replay" } },
  { path: /^\/replay\/([\w-]+)(?:\/(\d+))?$/, open: async (root, id, ply) => (await import("./replay.js")).openReplay(root, id, ply) },
  { path: /^\/position\/([\w-]+)\/(.+)$/, open: async (root, game, text) => (await import("./position.js")).openPosition(root, game, text) },
  { path: /^\/tournaments$/, open: async (root) => (await import("./tournaments.js")).openTournaments(root), link: { href: "#/tournaments", text: "Tournaments" } },
  { path: /^\/tournament\/.+$/, open: async (root) => (await import("./tournament.js")).openTournament(root) },
  { path: /^\/servers$/, open: async (root) => (await import("./servers.js")).openServers(root), link: { href: "#/servers", text: "Servers" } },
  { path: /^\/editor$/, open: async (root) => (await import("./editor.js")).openEditor(root), link: { href: "#/editor", text: "Maps" } },
];
