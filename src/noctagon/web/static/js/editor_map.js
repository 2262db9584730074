// @ts-check
// A map that is being drawn: immutable, each step makes a new one.
/** @import {DrawnMap, View} from "./messages" */
/** @import {Content} from "./types" */

/** @typedef {"humans" | "vampires" | "werewolves"} Kind */
/** @typedef {"none" | "turn" | "across" | "down"} Symmetry */
/** @typedef {{kind: Kind, count: number}} Group */

export const LARGEST = 255;
export const SIDES = /** @type {[string, string]} */ (["Vampires", "Werewolves"]);

/** @param {Kind} kind @returns {Kind} what stands on the other side of a symmetric map */
const other = (kind) => (kind === "vampires" ? "werewolves" : kind === "werewolves" ? "vampires" : "humans");

export class Drawing {
  /** @param {number} rows @param {number} columns @param {Map<number, Group>} [groups] by cell */
  constructor(rows, columns, groups = new Map()) {
    this.rows = rows;
    this.columns = columns;
    this.groups = groups;
  }

  /** @param {DrawnMap} map */
  static from({ rows, columns, humans, vampires, werewolves }) {
    const drawing = new Drawing(rows, columns);
    for (const [x, y, count] of humans) drawing.groups.set(drawing.index(x, y), { kind: "humans", count });
    if (vampires) drawing.groups.set(drawing.index(vampires[0], vampires[1]), { kind: "vampires", count: vampires[2] });
    if (werewolves)
      drawing.groups.set(drawing.index(werewolves[0], werewolves[1]), { kind: "werewolves", count: werewolves[2] });
    return drawing;
  }

  /** @param {View} view @returns {Drawing} what a bundled map looks like */
  static seen({ rows, columns, pieces }) {
    const groups = pieces.map(
      ({ x, y, kind, count }) =>
        /** @type {[number, Group]} */ ([y * columns + x, { kind: /** @type {Kind} */ (kind), count }]),
    );
    return new Drawing(rows, columns, new Map(groups));
  }

  /** @param {number} x @param {number} y */
  index(x, y) {
    return y * this.columns + x;
  }

  /** @param {number} x @param {number} y */
  at(x, y) {
    return this.groups.get(this.index(x, y));
  }

  /** @returns {DrawnMap} as the API takes it */
  get plain() {
    /** @type {DrawnMap} */
    const map = { rows: this.rows, columns: this.columns, humans: [], vampires: null, werewolves: null };
    for (const [index, { kind, count }] of [...this.groups].sort(([a], [b]) => a - b)) {
      /** @type {[number, number, number]} */
      const group = [index % this.columns, Math.floor(index / this.columns), count];
      if (kind === "humans") map.humans.push(group);
      else map[kind] = group;
    }
    return map;
  }

  /** Return the mirror image of a cell. @param {number} x @param {number} y @param {Symmetry} symmetry @returns {[number, number]} */
  image(x, y, symmetry) {
    const across = symmetry === "turn" || symmetry === "across";
    const down = symmetry === "turn" || symmetry === "down";
    return [across ? this.columns - 1 - x : x, down ? this.rows - 1 - y : y];
  }

  /**
   * Return the map with a group on a cell, and its mirror image.
   * @param {number} x @param {number} y @param {Kind} kind @param {number} count @param {Symmetry} symmetry
   */
  paint(x, y, kind, count, symmetry) {
    const here = this.at(x, y);
    const [ix, iy] = this.image(x, y, symmetry);
    const there = this.at(ix, iy);
    const own = ix === x && iy === y;
    const wanted = own ? kind : other(kind);
    if (here?.kind === kind && here.count === count && there?.kind === wanted && there.count === count) return this;
    const groups = new Map(this.groups);
    if (kind !== "humans")
      for (const [index, group] of groups)
        if (group.kind === kind || (!own && group.kind === other(kind))) groups.delete(index);
    groups.set(this.index(ix, iy), { kind: wanted, count });
    groups.set(this.index(x, y), { kind, count });
    return new Drawing(this.rows, this.columns, groups);
  }

  /** @param {number} x @param {number} y @param {Symmetry} symmetry */
  erase(x, y, symmetry) {
    const cells = [this.index(x, y), this.index(...this.image(x, y, symmetry))];
    if (!cells.some((cell) => this.groups.has(cell))) return this;
    const groups = new Map(this.groups);
    for (const cell of cells) groups.delete(cell);
    return new Drawing(this.rows, this.columns, groups);
  }

  /** Resize the map; what no longer fits is lost. @param {number} rows @param {number} columns */
  resize(rows, columns) {
    if (rows === this.rows && columns === this.columns) return this;
    const sized = new Drawing(rows, columns);
    for (const [index, group] of this.groups) {
      const x = index % this.columns;
      const y = Math.floor(index / this.columns);
      if (x < columns && y < rows) sized.groups.set(sized.index(x, y), group);
    }
    return sized;
  }

  /** Return the map whose second half mirrors the first. @param {Symmetry} symmetry */
  mirrored(symmetry) {
    const { plain } = this;
    const first = [
      ...plain.humans.map((group) => /** @type {const} */ (["humans", group])),
      ...["vampires", "werewolves"].map(
        (kind) => /** @type {const} */ ([kind, plain[/** @type {"vampires"} */ (kind)]]),
      ),
    ];
    /** @type {Drawing} */
    let made = new Drawing(this.rows, this.columns);
    for (const [kind, group] of first) {
      if (!group) continue;
      const [x, y, count] = group;
      const [ix, iy] = this.image(x, y, symmetry);
      if (this.index(x, y) <= this.index(ix, iy)) made = made.paint(x, y, /** @type {Kind} */ (kind), count, symmetry);
    }
    return made;
  }

  /** @param {Symmetry} symmetry whether turning or mirroring only swaps the species */
  isLike(symmetry) {
    return [...this.groups].every(([index, { kind, count }]) => {
      const there = this.at(...this.image(index % this.columns, Math.floor(index / this.columns), symmetry));
      return there?.kind === other(kind) && there.count === count;
    });
  }
}

/** @param {Group} group @returns {Content} as a board draws it */
export function content({ kind, count }) {
  const side = kind === "humans" ? null : kind === "vampires" ? 0 : 1;
  return { kind, side, count, label: `${kind[0].toUpperCase()}${count}` };
}

/** @param {Drawing} drawing @returns {View} the empty board that it is drawn on */
export function ground({ rows, columns }) {
  return {
    game: "vampires",
    rows,
    columns,
    pieces: [],
    sides: SIDES,
    side: 0,
    ply: 0,
    limit: 0,
    score: [0, 0],
    result: "",
    row_labels: [],
    column_labels: [],
  };
}
