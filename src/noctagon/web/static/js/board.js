// @ts-check
// A board that draws a position and moves on by frames, touching only what changes.
/** @import {ArrowRow, Change, TurnFrame, View} from "./messages" */
/** @import {Content, Faces} from "./types" */
/** @import {Hint} from "./overlay.js" */
import { svg } from "./element.js";
import { Enlarge } from "./enlarge.js";
import { ground, margin } from "./ground.js";
import { playTurn, reduced } from "./motion.js";
import { arrow, battleMarks, hintMarks, lineOfThought, touched } from "./overlay.js";
import { Piece } from "./piece.js";
import { CELL } from "./shapes.js";
import { tintOf } from "./symbols.js";
import { dress } from "./theme.js";

/** Maximum number of boards that move at once; with more, turns are shown without motion, so that the page stays smooth. */
const MOST_MOVING = 6;
let moving = 0;

const layer = (/** @type {string} */ name) => svg("g", { class: name });

export class Board {
  /** @param {View} view @param {Faces} faces @param {{label?: string}} [options] */
  constructor(view, faces, { label = "The board" } = {}) {
    this.view = view;
    this.faces = faces;
    /** The size of a cell on the screen, in pixels: small ones show counts only. */
    this.pixels = 40;
    /** @type {(Piece | undefined)[]} */
    this.pieces = [];
    /** @type {(Content | undefined)[]} */
    this.contents = [];
    /** @type {Map<string, Piece[]>} pieces not in use, by tint */
    this.spare = new Map();
    /** @type {{finish: () => void, timer: number} | null} */
    this.pending = null;
    /** @type {TurnFrame | null} */
    this.frame = null;

    this.under = layer("under");
    this.standing = layer("standing");
    this.moving = layer("moving");
    this.turn = layer("turn");
    this.thoughts = layer("thoughts");
    this.hints = layer("hints");
    this.plan = layer("plan");
    this.tallies = layer("tallies");
    this.marks = layer("marks");
    this.effects = layer("effects");
    this.cursor = svg("rect", { class: "cursor", width: CELL, height: CELL, rx: 10 });
    this.cursor.style.display = "none";
    const edge = margin(view);
    const width = view.columns * CELL + 2 * edge;
    const height = view.rows * CELL + edge + edge * 0.35;
    this.element = svg(
      "svg",
      {
        class: "noctagon-board board",
        viewBox: `${-edge} ${-edge} ${width} ${height}`,
        role: "img",
        "aria-label": label,
      },
      ...[
        ground(view),
        this.under,
        this.standing,
        this.thoughts,
        this.turn,
        this.plan,
        this.tallies,
        this.hints,
        this.moving,
        this.marks,
        this.effects,
        this.cursor,
      ],
    );
    this.element.style.aspectRatio = `${width} / ${height}`;
    dress(this.element);
    this.units = [width, height];
    this.enlarge = new Enlarge(this);
    this.watcher = new ResizeObserver(([{ contentRect }]) => this.resized(contentRect.width, contentRect.height));
    this.watcher.observe(this.element);
  }

  /** @param {number} x @param {number} y */
  index(x, y) {
    return y * this.view.columns + x;
  }

  /** @param {number} width of the whole drawing on the screen @param {number} height */
  resized(width, height) {
    const pixels = Math.round(CELL * Math.min(width / this.units[0], height / this.units[1]));
    if (!pixels || pixels === this.pixels) return;
    this.pixels = pixels;
    this.enlarge.update();
    this.pieces.forEach((piece, index) => {
      const content = this.contents[index];
      if (piece && content) piece.set(content, pixels);
    });
    if (this.frame && !this.pending) this.markTurn(this.frame);
  }

  /** Draw a whole position. @param {Iterable<[number, Content]>} content by index */
  show(content) {
    this.settle();
    const wanted = new Map(content);
    for (let index = 0; index < this.view.rows * this.view.columns; index++) this.put(index, wanted.get(index));
  }

  /** @param {Change[]} changes */
  apply(changes) {
    for (const [x, y, kind, side, count, label] of changes) {
      this.put(this.index(x, y), kind === null ? undefined : { kind, side, count, label });
    }
  }

  /** @param {number} index @param {Content | undefined} content */
  put(index, content) {
    let piece = this.pieces[index];
    this.contents[index] = content;
    const tint = content && tintOf(this.faces, content.kind, content.side);
    if (piece && piece.tint !== tint) {
      this.retire(piece);
      piece = this.pieces[index] = undefined;
    }
    if (!content || !tint) return;
    if (!piece) {
      piece = this.take(tint, this.standing, this.tallies);
      piece.place(index % this.view.columns, Math.floor(index / this.view.columns));
      this.pieces[index] = piece;
    }
    piece.set(content, this.pixels);
  }

  /** @param {string} tint @param {SVGElement} bodies where it stands @param {SVGElement} tallies where its count does */
  take(tint, bodies, tallies) {
    const piece = this.spare.get(tint)?.pop() ?? new Piece(tint, this.faces);
    bodies.append(piece.body);
    tallies.append(piece.tally);
    return piece;
  }

  /** Return a piece in motion, beside the standing ones. @param {Content} content */
  extra(content) {
    const piece = this.take(tintOf(this.faces, content.kind, content.side), this.moving, this.moving);
    piece.set(content, this.pixels);
    return piece;
  }

  /** @param {Piece} piece */
  retire(piece) {
    piece.remove();
    const spare = this.spare.get(piece.tint);
    if (spare) spare.push(piece);
    else this.spare.set(piece.tint, [piece]);
  }

  /** @param {number} x @param {number} y */
  pieceAt(x, y) {
    return this.pieces[this.index(x, y)];
  }

  /** @param {number} x @param {number} y */
  contentAt(x, y) {
    return this.contents[this.index(x, y)];
  }

  /** Animate a turn from the position before it. @param {TurnFrame} frame @param {number} [duration] in milliseconds; 0: at once */
  step(frame, duration = 420) {
    this.settle();
    this.frame = frame;
    this.under.replaceChildren(...touched(frame.arrows));
    this.turn.replaceChildren();
    this.marks.replaceChildren();
    if (
      !duration ||
      reduced.matches ||
      document.hidden ||
      moving >= MOST_MOVING ||
      (!frame.arrows.length && !frame.changes.length)
    ) {
      this.apply(frame.changes);
      this.markTurn(frame);
    } else {
      playTurn(this, frame, duration);
    }
  }

  /** Show the arrows and battles of a turn; null: of none. @param {TurnFrame | null} frame */
  markTurn(frame) {
    this.frame = frame;
    this.under.replaceChildren(...touched(frame?.arrows ?? []));
    this.turn.replaceChildren(...(frame?.arrows ?? []).map((row) => arrow(row, this.pixels)));
    this.marks.replaceChildren(...battleMarks(frame?.battles ?? [], this.pixels));
  }

  /** Call `finish` when the pieces have arrived, or as soon as another position is shown. @param {() => void} finish @param {number} wait */
  later(finish, wait) {
    const frame = this.frame;
    moving += 1;
    const whole = () => {
      moving -= 1;
      this.pending = null;
      finish();
      this.markTurn(frame);
    };
    this.pending = { finish: whole, timer: window.setTimeout(whole, wait) };
  }

  /** Finish the current motion at once. */
  settle() {
    if (!this.pending) return;
    clearTimeout(this.pending.timer);
    this.pending.finish();
  }

  /** @param {ArrowRow[][]} line @param {string[]} tints of its plies, in turn */
  think(line, tints) {
    this.thoughts.replaceChildren(...lineOfThought(line, tints));
  }

  /** @param {ArrowRow[]} arrows what a person plans to do */
  planned(arrows) {
    this.plan.replaceChildren(...arrows.map((row) => arrow(row, this.pixels, "planned")));
  }

  /** @param {Hint[]} hints */
  hint(hints) {
    this.hints.replaceChildren(...hintMarks(hints, this.pixels));
  }

  /** Return the cell under the pointer. @param {PointerEvent | MouseEvent} event @returns {[number, number] | null} */
  cellAt(event) {
    const matrix = this.element.getScreenCTM();
    if (!matrix) return null;
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
    const x = Math.floor(point.x / CELL);
    const y = Math.floor(point.y / CELL);
    return x >= 0 && y >= 0 && x < this.view.columns && y < this.view.rows ? [x, y] : null;
  }

  close() {
    this.settle();
    this.watcher.disconnect();
    this.enlarge.close();
    this.element.remove();
  }
}
