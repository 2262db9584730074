// @ts-check
// The board that is drawn on: strokes of the pointer, and keys.
/** @import {Faces} from "./types" */
import { Board } from "./board.js";
import { Cursor } from "./cursor.js";
import { h } from "./element.js";
import { Drawing, content, ground } from "./editor_map.js";

/**
 * The board's callbacks: a stroke begins, touches a cell, ends; a key was pressed at a cell.
 * @typedef {{begin: () => void, touch: (x: number, y: number, erase: boolean, first: boolean) => void, end: () => void,
 *   key: (event: KeyboardEvent, x: number, y: number) => boolean, tell: (text: string) => void}} Handlers
 */

export class EditorBoard {
  /** @param {Faces} faces @param {Drawing} drawing @param {Handlers} handlers */
  constructor(faces, drawing, handlers) {
    this.faces = faces;
    this.handlers = handlers;
    this.drawing = drawing;
    this.element = h("div", { class: "stage editing" });
    /** @type {{erase: boolean, x: number, y: number} | null} */
    this.stroke = null;
    /** Whether a stroke has just ended: the click that follows belongs to it. */
    this.drawn = false;
    this.make();
  }

  make() {
    this.board = new Board(ground(this.drawing), this.faces, {
      label:
        "The map. Arrow keys move, Enter draws, Delete erases; H, V, W and E choose what to draw, digits how many.",
    });
    this.cursor = new Cursor(this.board, (x, y) => this.dot(x, y), this.handlers.tell);
    const { element } = this.board;
    element.addEventListener("pointerdown", (event) => this.down(event));
    element.addEventListener("pointermove", (event) => this.move(event));
    for (const name of ["pointerup", "pointercancel"]) element.addEventListener(name, () => this.up());
    element.addEventListener("contextmenu", (event) => event.preventDefault());
    element.addEventListener("keydown", () => (this.drawn = false), { capture: true });
    element.addEventListener("keydown", (event) => {
      if (!event.defaultPrevented && this.handlers.key(event, this.cursor?.x ?? 0, this.cursor?.y ?? 0))
        event.preventDefault();
    });
    this.board.show([...this.drawing.groups].map(([index, group]) => [index, content(group)]));
    this.element.replaceChildren(element);
  }

  /** @param {Drawing} drawing */
  show(drawing) {
    const before = this.drawing;
    this.drawing = drawing;
    if (before.rows !== drawing.rows || before.columns !== drawing.columns) {
      this.board?.close();
      this.make();
      return;
    }
    for (const index of before.groups.keys()) if (!drawing.groups.has(index)) this.board?.put(index, undefined);
    for (const [index, group] of drawing.groups)
      if (before.groups.get(index) !== group) this.board?.put(index, content(group));
  }

  /** Draw one cell, by the keyboard or a click that was no stroke. @param {number} x @param {number} y */
  dot(x, y) {
    if (this.drawn) {
      this.drawn = false;
      return;
    }
    this.handlers.begin();
    this.handlers.touch(x, y, false, true);
    this.handlers.end();
  }

  /** @param {PointerEvent} event */
  down(event) {
    const cell = this.board?.cellAt(event);
    this.drawn = false;
    if (!cell || (event.button !== 0 && event.button !== 2)) return;
    this.board?.element.setPointerCapture(event.pointerId);
    this.stroke = { erase: event.button === 2, x: cell[0], y: cell[1] };
    this.handlers.begin();
    this.handlers.touch(cell[0], cell[1], this.stroke.erase, true);
  }

  /** Draw every cell from the last one to this, so that a quick stroke has no gaps. @param {PointerEvent} event */
  move(event) {
    const { stroke } = this;
    const cell = stroke && this.board?.cellAt(event);
    if (!stroke || !cell || (cell[0] === stroke.x && cell[1] === stroke.y)) return;
    const steps = Math.max(Math.abs(cell[0] - stroke.x), Math.abs(cell[1] - stroke.y));
    for (let step = 1; step <= steps; step++) {
      const x = Math.round(stroke.x + ((cell[0] - stroke.x) * step) / steps);
      const y = Math.round(stroke.y + ((cell[1] - stroke.y) * step) / steps);
      this.handlers.touch(x, y, stroke.erase, false);
    }
    [stroke.x, stroke.y] = cell;
  }

  up() {
    if (!this.stroke) return;
    this.stroke = null;
    this.drawn = true;
    this.handlers.end();
  }

  close() {
    this.board?.close();
  }
}
