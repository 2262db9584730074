// Types of the page itself. What the API sends and takes is in messages.d.ts.
import type { NewTable, TableCreated } from "./messages";

/** The content of a cell. */
export interface Content {
  kind: string;
  side: number | null;
  count: number;
  label: string;
}
/** The right to act in a game, kept by this browser, with the request that began it. */
export interface Rights extends Omit<TableCreated, "key"> {
  key?: string;
  request?: NewTable;
}

/** A symbol of a game, as it stands in this document. */
export interface Face {
  id: string;
  tint: string;
}
export type Faces = Map<string, Face>;

/** The text of the position after `n` turns, as the API takes it. */
export type PositionAt = (n: number) => Promise<string>;

/** A person's turn in the making. */
export interface Hand {
  element: HTMLElement;
  /** When the turn shows what is possible. */
  ready: Promise<void>;
  /** Choose a cell, by pointer or by key. */
  pick(x: number, y: number): void;
  /** Handle a key that the board does not use; return whether it was understood. */
  key(event: KeyboardEvent): boolean;
  /** Describe the cell's role in this turn, for screen readers. */
  describe(x: number, y: number): string;
  close(): void;
}
/** The data and the actions of a hand. */
export interface Seating {
  board: import("./board.js").Board;
  history: import("./history.js").History;
  rules: Record<string, unknown>;
  /** The position of this turn, as text. */
  position(): Promise<string>;
  side: number;
  tint: string;
  submit(action: string): Promise<void>;
  tell(text: string): void;
  /** The button that takes back, in words; null: there is nothing to take back. */
  takeBack: { text: string; press(): void } | null;
  resign(): void;
}
