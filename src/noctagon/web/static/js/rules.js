// @ts-check
// The rules of a game in a few sentences for beginners, as the game itself tells them.
import { fill, h } from "./element.js";
import { games } from "./start.js";

/** The rules, folded; hidden where a game has no text for them. @param {string} name */
export function howToPlay(name) {
  const list = h("ul");
  const element = h("details", { class: "rules", hidden: true }, h("summary", {}, "How it is played"), list);
  games().then(
    (known) => {
      const sentences = known.find((game) => game.name === name)?.how_to_play ?? [];
      fill(list, ...sentences.map((text) => h("li", {}, text)));
      element.hidden = sentences.length === 0;
    },
    () => {}, // the page says by itself that the server is gone
  );
  return element;
}
