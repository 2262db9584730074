// @ts-check
// How each game is played, in a few sentences for somebody who has never seen it.
import { h } from "./element.js";

/** @type {Record<string, string[]>} */
const RULES = {
  vampires: [
    "In a turn you send as many creatures as you like from your cells to cells beside them; groups split and merge. A cell that somebody leaves cannot be a target in the same turn.",
    "Humans join you when at least as many of you arrive as there are of them. Enemies die when you come with one and a half times their number, or more.",
    "With fewer you must fight: the odds are on the cell before you commit. Who loses a battle loses everybody in it.",
    "A species without creatures has lost. At the turn limit the larger one wins.",
  ],
  wargame: [
    "Each turn one unit acts: it moves to a free cell beside it, attacks an enemy beside it, repairs a friend, or destroys itself, which hurts all eight cells around it.",
    "In an attack both strike at once. A Virus kills an AI with one blow, a Tech hurts Viruses most.",
    "AI, Firewall and Program only move forwards, and not while an enemy stands beside them. Virus and Tech go where they like.",
    "Destroy the other AI. If both stand at the turn limit, the Defender has won.",
  ],
};

/** The rules, folded away. @param {string} game @returns {HTMLElement | null} nothing for a game without words here */
export function howToPlay(game) {
  const sentences = RULES[game];
  return sentences ? h("details", { class: "rules" }, h("summary", {}, "How it is played"), h("ul", {}, ...sentences.map((text) => h("li", {}, text)))) : null;
}
