// What the API sends and takes about maps, servers and tournaments, in the words of its OpenAPI document.
import type { Result, View } from "./types";

export type GroupRow = [x: number, y: number, count: number];
export interface DrawnMap { rows: number; columns: number; humans: GroupRow[]; vampires: GroupRow | null; werewolves: GroupRow | null }
export interface MapChecked { problems: string[]; remarks: string[]; symmetric: boolean; position: string }
export interface MapRead { map: DrawnMap; warnings: string[]; seed: number | null }
export interface SetupSeen { view: View; position: string }

export interface Chair { name: string; address: string; here: boolean }
export interface TcpTable {
  number: number; state: "waiting" | "playing" | "finished"; chairs: Chair[]; game: number; games: number; table: string | null;
  ply: number; score: [number, number];
}
export interface Outcome { table: number; game: number; id: string; players: [string, string]; plies: number; result: Result; remark: string }
export interface Server {
  id: string; host: string; port: number; map: string; rules: string; time: number; duration: number | null; games: number;
  reconnect: boolean; lenient: boolean; opponent: string; terminal: boolean; over: string; arriving: number; played: number;
  tables: TcpTable[]; results: Outcome[]; lines: number; trace: string[];
}

export interface ListedTournament {
  name: string; game: string; format: string; players: number; date: string; played: number; expected: number; playing: boolean;
  leader: string; trouble: string;
}
export interface Score { mean: number; low: number; high: number; games: number }
export interface Row {
  place: number; name: string; points: number; games: number; wins: number; draws: number; losses: number; tie_breaks: number[];
  bonus: number; elo: number | null; error: number | null; played: number; faults: number; late: number; illegal: number; seconds_per_turn: number;
  longest: number; disqualified: string; sides: (Score | null)[];
}
export interface FinishedGame {
  id: number; players: [string, string]; setup: string; round: number; winner: number | null; text: string; plies: number;
  seconds: number; date: string;
}
export interface LastBoard { game: FinishedGame; view: View }
export interface RunningBoard { slot: string; players: [string, string]; setup: string; view: View }
export interface Progress { played: number; expected: number; playing: boolean; per_minute: number | null; left: number | null }
export interface Tournament {
  plan: { name: string; game: string; title: string; format: string; players: number; maps: string[]; time: number | null; date: string };
  sides: [string, string]; progress: Progress; tie_breaks: string[]; rows: Row[]; cells: [number, number, number, number][] | null;
  by_map: [string, (Score | null)[]][]; games: FinishedGame[]; rules: string[];
}
