// @ts-check
// The place of a person's turn. It keeps its size during the other's turn, so that nothing else moves.
/** @import {Hand} from "./types" */
import { h } from "./element.js";

export class TurnPlace {
  /** @param {SVGElement} board gets the focus of a button that is gone */
  constructor(board) {
    this.board = board;
    this.element = h("div", { class: "turn-slot" });
    /** The height of a turn that has just begun. */
    this.height = 0;
    /** @type {Hand | null} the one that was measured */
    this.begun = null;
  }

  /** @param {Hand} hand */
  show(hand) {
    this.put(hand.element);
    if (hand === this.begun) return; // one comes back to it
    this.begun = hand;
    const measure = () => {
      if (hand.element.isConnected) this.height = hand.element.offsetHeight;
    };
    requestAnimationFrame(measure);
    void hand.ready.then(measure);
  }

  /**
   * @param {string} words why there is nothing to do now; empty: nobody here will have another turn
   * @param {(() => void) | null} goOn where one can do something about it
   */
  wait(words, goOn) {
    const card = h(
      "section",
      { class: "card turn-wait" },
      h("p", { class: "hint-text" }, words),
      goOn && h("button", { type: "button", class: "primary", on: { click: goOn } }, "Go on"),
    );
    card.style.minHeight = `${this.height}px`;
    this.put(...(words ? [card] : []));
  }

  /** @param {...HTMLElement} content */
  put(...content) {
    const here = this.element.contains(document.activeElement);
    this.element.replaceChildren(...content);
    if (here) this.board.focus({ preventScroll: true });
  }
}
