// What the API sends and takes, in the words of its OpenAPI document.

export interface Piece { x: number; y: number; kind: string; side: number | null; count: number; label: string }
export type ArrowRow = [x: number, y: number, tx: number, ty: number, text: string];
export interface View {
  game: string; rows: number; columns: number; pieces: Piece[]; sides: [string, string]; side: number; ply: number;
  limit: number; score: [number, number]; result: string; row_labels: string[]; column_labels: string[];
}

/** What stands on a cell; `null`: nothing. */
export interface Content { kind: string; side: number | null; count: number; label: string }
export type Change = [x: number, y: number, kind: string | null, side: number | null, count: number, label: string];
export interface Battle { x: number; y: number; /* null where a game has no cells */ text: string; odds: number | null; won: boolean; detail: string }
export interface Thought {
  depth?: number; nodes?: number; score?: number | null; line?: string[]; arrows?: ArrowRow[][]; text?: string; note?: string; seconds?: number;
}
export interface Result { winner: number | null; reason: string; detail: string; text?: string }
export interface Frame {
  n: number; side: number; action: string; skipped?: string; changes: Change[]; arrows: ArrowRow[]; battles: Battle[];
  score: [number, number]; mover: number; seconds: number; thought?: Thought | null; result?: Result | null;
}
export interface ClockState { side: number | null; seconds: number | null; elapsed: number }
export interface TableState {
  paused: boolean; pace: number; waiting: number | null; clock: ClockState | null; spectators?: number;
}
export interface Snapshot extends TableState {
  id: string; game: string; setup: string; rules: Record<string, unknown>; players: [string, string];
  sides: [string, string]; time: unknown; origin: string; view: View; position: string; frames: Frame[];
  humans: [boolean, boolean]; result: Result | null; live?: boolean;
}
export interface Listed {
  id: string; game: string; setup: string; players: [string, string]; ply: number; result: Result | string | null;
  live: boolean; origin: string; spectators: number; sides: [string, string]; score: [number, number];
}
export interface Option { name?: string; about?: string; default?: unknown }
export interface PlayerInfo { name: string; about: string; options: Record<string, unknown> }
export interface GameInfo {
  name: string; title: string; about: string; sides: [string, string]; turn_seconds: number | null;
  rule_sets: (string | { name: string; about?: string })[]; rule_options: string[]; setups: { name: string; about: string }[]; players: PlayerInfo[];
  how_to_play: string[]; notation: string; demo: [string, string]; abilities: Record<string, boolean>;
}
/** What `POST /tables` answered: the right to act, kept by this browser. */
export interface Rights { id: string; keys: Record<string, string>; key?: string; request?: Record<string, unknown> }

export interface Meeting { attackers: number; defenders: number; kind: string; odds: number; text: string }
export interface Target { x: number; y: number; room: number; meeting: Meeting }
export type MoveRow = [x: number, y: number, count: number, tx: number, ty: number];
export interface Building {
  legal: boolean; error?: string | null; left: [number, number, number][]; sources: [number, number][]; targets: Target[];
  meetings: { x: number; y: number; meeting: Meeting }[]; action: string;
}
export interface Choice { action: string; arrows: ArrowRow[]; text: string; kind: string; changes?: Change[] }
export interface Asked { view: View; mover: number; result: Result | null; actions?: Choice[] | null }

/** A symbol of a game, as it stands in this document. */
export interface Face { id: string; tint: string }
export type Faces = Map<string, Face>;

/** The text of the position after `n` turns, as the API takes it. */
export type PositionAt = (n: number) => Promise<string>;

/** A person's turn in the making. */
export interface Hand {
  element: HTMLElement;
  /** When the turn shows what is possible. */
  ready: Promise<void>;
  /** A cell was chosen, by pointer or by key. */
  pick(x: number, y: number): void;
  /** A key that the board did not want; whether it was understood. */
  key(event: KeyboardEvent): boolean;
  /** What the cell is to this turn, for those who listen. */
  describe(x: number, y: number): string;
  close(): void;
}
/** What a hand needs to know and may do. */
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
  /** How to go back, in words; null: there is nothing to take back. */
  takeBack: { text: string; press(): void } | null;
  resign(): void;
}
