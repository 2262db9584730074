// @ts-check
// One piece on a board: its body, and its count, which lies above all arrows. They are made once and then only changed
// where they differ.
/** @import {Content, Faces} from "./types" */
import { svg } from "./element.js";
import { CELL, DIGIT, box, fit, set } from "./shapes.js";

/** The smallest cell, in pixels, in which symbols can be distinguished; below it, a tile shows only its count. */
export const PICTURED_CELL = 27;

export class Piece {
  /** @param {string} tint @param {Faces} faces */
  constructor(tint, faces) {
    this.tint = tint;
    this.faces = faces;
    this.tile = box("tile", tint);
    this.face = svg("use", { x: 15, y: 8, width: 70, height: 70 });
    this.badge = box("badge", tint);
    this.count = svg("text", { class: "count" });
    this.body = svg("g", { class: `piece ${tint}` }, this.tile, this.face);
    this.tally = svg("g", { class: `tally ${tint}` }, this.badge, this.count);
    fit(this.tile, tint, 4, 4, 92, 92, false);
    this.kind = "";
    this.shown = "";
    this.pixels = 0;
    this.x = 0;
    this.y = 0;
  }

  /** @param {Content} content @param {number} pixels how large a cell is on the screen */
  set(content, pixels) {
    if (content.kind !== this.kind) {
      this.kind = content.kind;
      const face = this.faces.get(content.kind);
      if (face) this.face.setAttribute("href", `#${face.id}`);
    }
    const text = this.faces.has(content.kind) ? String(content.count) : content.label;
    if (text === this.shown && pixels === this.pixels) return;
    if (text.length !== this.shown.length || pixels !== this.pixels) this.layOut(text, pixels);
    this.shown = text;
    this.count.textContent = text;
  }

  /** @param {string} text @param {number} pixels */
  layOut(text, pixels) {
    this.pixels = pixels;
    const small = pixels < PICTURED_CELL || !this.faces.has(this.kind);
    for (const part of this.parts) part.classList.toggle("small", small);
    if (small) {
      const size = Math.min(62, 74 / (DIGIT * Math.max(1, text.length)));
      set(this.count, { x: 50, y: 50 + size * 0.36, "font-size": size });
      return;
    }
    const size = Math.min(Math.max(27, (12.5 * CELL) / pixels), 88 / (DIGIT * text.length));
    const height = size * 1.22;
    const width = Math.max(height, size * DIGIT * text.length + size * 0.36);
    fit(this.badge, this.tint, 100 - width, 100 - height, width, height, true);
    set(this.count, { x: 100 - width / 2, y: 100 - height / 2 + size * 0.36, "font-size": size });
  }

  /** @param {number} x @param {number} y */
  place(x, y) {
    this.x = x * CELL;
    this.y = y * CELL;
    for (const part of this.parts) part.setAttribute("transform", `translate(${this.x} ${this.y})`);
  }

  get parts() {
    return [this.body, this.tally];
  }

  /** @param {Keyframe[]} frames @param {KeyframeAnimationOptions} timing */
  animate(frames, timing) {
    for (const part of this.parts) part.animate(frames, timing);
  }

  remove() {
    for (const part of this.parts) part.remove();
  }
}
