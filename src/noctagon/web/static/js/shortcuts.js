// @ts-check
// Keys of the game page that work wherever the focus is, except in a text field.
/** @import {GamePage} from "./game.js" */

/** @param {GamePage} page @returns {() => void} how to stop listening */
export function bindShortcuts(page) {
  /** @param {KeyboardEvent} event */
  const listen = (event) => {
    if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return;
    const target = /** @type {HTMLElement} */ (event.target);
    const typing = target.matches?.("input:not([type=range],[type=checkbox]), select, textarea");
    const pressing =
      target.matches?.("button, a, summary, input[type=checkbox]") && (event.key === " " || event.key === "Enter");
    if (typing || pressing) return;
    const sliding = target.matches?.("input[type=range]");
    if (page.hand?.key(event)) event.preventDefault();
    else if (event.key === " ") page.controls.playOrPause();
    else if (sliding) return;
    else if (event.key === "ArrowLeft") page.viewer.scrub(page.viewer.n - 1);
    else if (event.key === "ArrowRight") page.controls.step();
    else if (event.key === "Home") page.viewer.scrub(0);
    else if (event.key === "End") page.viewer.toPresent();
    else return;
    event.preventDefault();
  };
  document.addEventListener("keydown", listen);
  return () => document.removeEventListener("keydown", listen);
}
