// @ts-check
// Choosing a cell: by pointer, or by arrow keys and Enter with a cursor that is read out.
/** @import {Board} from "./board.js" */
import { cellName } from "./names.js";
import { CELL, set } from "./shapes.js";

const STEPS = /** @type {Record<string, [number, number]>} */ ({
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
});

export class Cursor {
  /**
   * @param {Board} board
   * @param {(x: number, y: number) => void} pick
   * @param {(text: string) => void} tell to a screen reader
   */
  constructor(board, pick, tell) {
    this.board = board;
    this.tell = tell;
    this.pick = pick;
    this.x = Math.floor(board.view.columns / 2);
    this.y = Math.floor(board.view.rows / 2);
    /** @type {(x: number, y: number) => string} */
    this.describe = () => "";
    this.shown = false;
    const { element } = board;
    element.setAttribute("tabindex", "0");
    element.setAttribute("role", "application");
    element.addEventListener("click", (event) => {
      const cell = board.cellAt(event);
      if (!cell) return;
      [this.x, this.y] = cell;
      this.hide();
      pick(...cell);
    });
    element.addEventListener("keydown", (event) => this.key(event));
    element.addEventListener("blur", () => this.hide());
    element.addEventListener("focus", () => {
      if (!element.matches(":focus-visible")) return;
      this.show();
      this.announce();
    });
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === "Enter" && !event.shiftKey) {
      this.show();
      this.pick(this.x, this.y);
      this.announce();
    } else if (event.key in STEPS) {
      const [dx, dy] = this.shown ? STEPS[event.key] : [0, 0];
      this.move(this.x + dx, this.y + dy);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** @param {number} x @param {number} y */
  move(x, y) {
    this.x = Math.max(0, Math.min(this.board.view.columns - 1, x));
    this.y = Math.max(0, Math.min(this.board.view.rows - 1, y));
    this.show();
    this.announce();
  }

  announce() {
    const content = this.board.contentAt(this.x, this.y);
    const here = content ? `${content.count} ${content.kind}` : "empty";
    this.tell(
      `${cellName(this.board.view, this.x, this.y)}: ${[here, this.describe(this.x, this.y)].filter(Boolean).join(", ")}`,
    );
  }

  show() {
    this.shown = true;
    set(this.board.cursor, { x: this.x * CELL, y: this.y * CELL });
    this.board.cursor.style.display = "";
    if (this.board.element.closest(".enlarged"))
      this.board.cursor.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  hide() {
    this.shown = false;
    this.board.cursor.style.display = "none";
  }
}
