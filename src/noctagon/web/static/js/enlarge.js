// @ts-check
// A board whose cells are too small to be read can be enlarged; then it is scrolled on its stage.
/** @import {Board} from "./board.js" */
import { h, say } from "./element.js";

/** The smallest cell, in pixels, in which a count is read with ease. */
const READABLE = 15;

export class Enlarge {
  /** @param {Board} board */
  constructor(board) {
    this.board = board;
    this.button = h("button", { type: "button", class: "small-button", on: { click: () => this.toggle() } }, "Enlarge");
    this.element = h("div", { class: "enlarge" }, this.button);
    board.element.style.setProperty("--columns", String(board.view.columns));
  }

  get stage() {
    return this.board.element.closest(".stage");
  }

  /** Offer it where it is of use. */
  update() {
    if (this.board.pixels < READABLE && !this.element.isConnected) this.stage?.prepend(this.element);
    else if (this.board.pixels >= READABLE && !this.stage?.classList.contains("enlarged")) this.element.remove();
  }

  toggle() {
    const large = this.stage?.classList.toggle("enlarged");
    say(this.button, large ? "Whole board" : "Enlarge");
  }

  close() {
    this.stage?.classList.remove("enlarged");
    this.element.remove();
  }
}
