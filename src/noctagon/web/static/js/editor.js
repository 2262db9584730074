// @ts-check
// The map editor: draw a map, check it, save it, play it.
/** @import {Show} from "./pages.js" */
/** @import {GameInfo} from "./messages" */
/** @import {Faces} from "./types" */
/** @import {Tool} from "./editor_tools.js" */
import { draft, keepDraft } from "./draft.js";
import { Check } from "./editor_check.js";
import { EditorBoard } from "./editor_board.js";
import { Files, Maker } from "./editor_files.js";
import { Drawing, LARGEST } from "./editor_map.js";
import { Play } from "./editor_play.js";
import { Tools } from "./editor_tools.js";
import { fresh, h, say, svg } from "./element.js";
import { sheet } from "./sheet.js";
import { games } from "./start.js";
import { facesOf, tintOf } from "./symbols.js";
import { dress } from "./theme.js";
import { Steps } from "./undo.js";

/** @param {Show} show @returns {Promise<() => void>} how to leave it */
export async function openEditor(show) {
  const [faces, known] = await Promise.all([facesOf("vampires"), games(), sheet("editor")]);
  const page = new EditorPage(
    faces,
    known.find((game) => game.name === "vampires"),
  );
  show(page.element, "Map editor");
  return () => page.close();
}

/** Return the map that was being drawn when the page was left, else an empty one. */
function begun() {
  const left = draft();
  return left ? Drawing.from(left) : new Drawing(8, 10).paint(1, 1, "werewolves", 8, "turn");
}

class EditorPage {
  /** @param {Faces} faces @param {GameInfo | undefined} game */
  constructor(faces, game) {
    this.faces = faces;
    /** @type {Steps<Drawing>} */
    this.steps = new Steps(begun(), () => this.changed());
    this.said = h("p", { class: "unseen", "aria-live": "polite" });
    this.typed = { text: "", at: 0 };
    this.board = new EditorBoard(faces, this.steps.now, {
      begin: () => this.steps.begin(),
      touch: (x, y, erase, first) => this.touch(x, y, erase, first),
      end: () => this.steps.end(),
      key: (event, x, y) => this.key(event, x, y),
      tell: (text) => say(this.said, text),
    });
    this.tools = new Tools(
      (tool) => this.picture(tool),
      (symmetry) => this.steps.take(this.steps.now.mirrored(symmetry)),
      () => {},
    );
    this.check = new Check(() => this.play?.update());
    this.files = new Files(
      game,
      () => this.steps.now,
      (drawing, words) => this.take(drawing, words),
    );
    this.maker = new Maker((drawing, words) => this.take(drawing, words));
    this.play = game ? new Play(game, () => this.check.known?.position ?? "") : null;
    this.undo = h(
      "button",
      { type: "button", class: "small-button", title: "Ctrl Z", on: { click: () => this.steps.undo() } },
      "Undo",
    );
    this.redo = h(
      "button",
      { type: "button", class: "small-button", title: "Ctrl Y", on: { click: () => this.steps.redo() } },
      "Redo",
    );
    this.clear = h(
      "button",
      {
        type: "button",
        class: "small-button",
        on: { click: () => this.take(new Drawing(this.steps.now.rows, this.steps.now.columns), "The map is empty.") },
      },
      "Clear",
    );
    this.rows = this.size("Rows");
    this.columns = this.size("Columns");
    const bar = h(
      "div",
      { class: "row editor-bar" },
      this.undo,
      this.redo,
      this.clear,
      h("span", { class: "grow" }),
      ...[this.rows, this.columns].map(({ field }) => field),
    );
    this.element = h(
      "div",
      { class: "editor" },
      h(
        "div",
        { class: "editor-head" },
        h("h1", {}, "Map editor"),
        h(
          "p",
          { class: "about" },
          "For Vampires vs Werewolves. Click or drag to draw, right-click to erase; on the keyboard arrows, Enter and Delete.",
        ),
      ),
      h(
        "div",
        { class: "editor-main" },
        this.board.element,
        bar,
        this.check.element,
        this.files.element,
        this.maker.element,
      ),
      h("div", { class: "editor-side" }, this.tools.element, this.play?.element),
      this.said,
    );
    /** @param {KeyboardEvent} event */
    this.listen = (event) => this.shortcut(event);
    document.addEventListener("keydown", this.listen);
    this.changed();
  }

  /** @param {string} name */
  size(name) {
    const input = h("input", {
      id: fresh("size"),
      type: "number",
      min: 1,
      max: LARGEST,
      on: { change: () => this.resize() },
    });
    return { input, field: h("label", { class: "field inline", for: input.id }, h("span", {}, name), input) };
  }

  /** @param {Tool} tool */
  picture(tool) {
    if (tool === "erase")
      return svg(
        "svg",
        { viewBox: "0 0 24 24", class: "eraser", "aria-hidden": "true" },
        svg("path", { d: "M15 4l6 6-9 9H7l-4-4zM12 19h9" }),
      );
    const face = this.faces.get(tool);
    const side = tool === "humans" ? null : tool === "vampires" ? 0 : 1;
    const use = svg(
      "g",
      { class: tintOf(this.faces, tool, side) },
      face && svg("use", { href: `#${face.id}`, width: 100, height: 100 }),
    );
    const emblem = svg("svg", { viewBox: "0 0 100 100", class: "emblem noctagon-board", "aria-hidden": "true" }, use);
    dress(emblem);
    return emblem;
  }

  changed() {
    const { now } = this.steps;
    this.board.show(now);
    this.undo.disabled = !this.steps.before.length;
    this.redo.disabled = !this.steps.after.length;
    this.clear.disabled = !now.groups.size;
    this.rows.input.value = String(now.rows);
    this.columns.input.value = String(now.columns);
    if (this.steps.stroke === null || this.check.known) this.check.look(now);
    keepDraft(now.plain);
  }

  /** @param {Drawing} drawing @param {string} words */
  take(drawing, words) {
    this.steps.take(drawing);
    say(this.said, words);
  }

  resize() {
    const { now } = this.steps;
    this.steps.take(now.resize(sized(this.rows.input, now.rows), sized(this.columns.input, now.columns)));
    this.changed();
  }

  /** @param {number} x @param {number} y @param {boolean} erase @param {boolean} first of its stroke */
  touch(x, y, erase, first) {
    const { tool, count, chosenSymmetry: symmetry } = this.tools;
    const { now } = this.steps;
    if (erase || tool === "erase") {
      this.steps.take(now.erase(x, y, symmetry));
      return;
    }
    const [ix, iy] = now.image(x, y, symmetry);
    const own = ix === x && iy === y && symmetry !== "none";
    if (tool !== "humans" && own) {
      say(this.said, "This cell is its own mirror image: a start group cannot stand there while symmetry is on.");
      return;
    }
    const kind = now.at(x, y)?.kind;
    if (!first && kind && kind !== tool) return; // a stroke goes around what is there
    this.steps.take(now.paint(x, y, tool, count, symmetry));
  }

  /** Handle a key at a cell; return whether it has a meaning. @param {KeyboardEvent} event @param {number} x @param {number} y */
  key(event, x, y) {
    if (event.ctrlKey || event.metaKey || event.altKey) return false;
    const name = this.tools.press(event.key);
    if (name) say(this.said, name);
    else if (event.key === "Delete" || event.key === "Backspace")
      this.steps.take(this.steps.now.erase(x, y, this.tools.chosenSymmetry));
    else if (event.key === "+" || event.key === "-") this.more(x, y, event.key === "+" ? 1 : -1);
    else if (/^\d$/.test(event.key)) this.digit(event.key);
    else return false;
    return true;
  }

  /** Add one to the cell's count, or take one away; on an empty cell, to the count that is drawn next. @param {number} x @param {number} y @param {number} by */
  more(x, y, by) {
    const here = this.steps.now.at(x, y);
    if (!here) {
      this.tools.setCount(this.tools.count + by);
      say(this.said, `Draws ${this.tools.count}`);
      return;
    }
    const count = Math.max(1, Math.min(LARGEST, here.count + by));
    this.steps.take(this.steps.now.paint(x, y, here.kind, count, this.tools.chosenSymmetry));
    say(this.said, `${count} ${here.kind}`);
  }

  /** @param {string} digit digits that follow quickly are one number */
  digit(digit) {
    const now = performance.now();
    this.typed = { text: now - this.typed.at < 1000 ? `${this.typed.text}${digit}`.slice(-3) : digit, at: now };
    this.tools.setCount(Number(this.typed.text));
    say(this.said, `Draws ${this.tools.count}`);
  }

  /** @param {KeyboardEvent} event */
  shortcut(event) {
    if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
    const target = /** @type {HTMLElement} */ (event.target);
    if (target.matches?.("input[type=number], input[type=text], textarea")) return;
    const key = event.key.toLowerCase();
    const done =
      key === "z" && !event.shiftKey ? this.steps.undo() : key === "y" || key === "z" ? this.steps.redo() : null;
    if (done !== null) event.preventDefault();
  }

  close() {
    document.removeEventListener("keydown", this.listen);
    this.check.close();
    this.board.close();
  }
}

/** Return the wanted number of rows or columns, or the number before if the input is no valid one. @param {HTMLInputElement} input @param {number} before */
function sized(input, before) {
  const wanted = Math.round(Number(input.value));
  return wanted >= 1 ? Math.min(LARGEST, wanted) : before;
}
