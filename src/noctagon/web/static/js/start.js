// @ts-check
// The start of a game, for every page that offers one.
/** @import {GameInfo, NewTable} from "./messages" */
/** @import {Rights} from "./types" */
import { get, post } from "./api.js";
import { say } from "./element.js";
import { USUAL_PACE } from "./paces.js";
import { preparation } from "./preparing.js";
import { keep } from "./rights.js";

/** @type {Promise<GameInfo[]> | null} */
let known = null;

/** All games; asked once. @returns {Promise<GameInfo[]>} */
export function games() {
  known ??= /** @type {Promise<GameInfo[]>} */ (get("/games")).catch((error) => {
    known = null;
    throw error;
  });
  return known;
}

/**
 * Begin a game, keep the keys to it, and open it.
 * @param {NewTable} asked the body of `POST /tables` @param {HTMLElement} [told] where it is said that the rules must be compiled first
 */
export async function begin(asked, told) {
  if (told && !preparation.playable(asked.game)) {
    told.hidden = false;
    say(told, "The game begins as soon as its rules are compiled.");
    await preparation.rules(asked.game);
    if (!told.isConnected) return; // another page was opened meanwhile
    told.hidden = true;
  }
  /** @type {NewTable} */
  const request = { pace: USUAL_PACE, ...asked };
  /** @type {Rights} */
  const rights = await post("/tables", request);
  keep({ ...rights, request });
  location.hash = `#/game/${rights.id}`;
}

/** Start the same game again, with new dice. @param {NewTable} request */
export const again = (request) => begin({ ...request, seed: Math.floor(Math.random() * 2 ** 31) });

/** The opponent of a newcomer. @param {GameInfo} game */
export function rival(game) {
  const names = game.players.map((player) => player.name);
  return (
    ["champion", ...game.demo.map((spec) => spec.split(":")[0]), names[0]].find((name) => names.includes(name)) ??
    "random"
  );
}

/** A person against the champion on the usual setup. @param {GameInfo} game @param {HTMLElement} told as for `begin` */
export const quickStart = (game, told) => begin({ game: game.name, players: ["human", rival(game)], time: 1 }, told);
