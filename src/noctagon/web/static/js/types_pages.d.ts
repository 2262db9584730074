// What the API sends and takes about servers, in the words of its OpenAPI document.
import type { ResultView } from "./messages";

export interface Chair { name: string; address: string; here: boolean }
export interface TcpTable {
  number: number; state: "waiting" | "playing" | "finished"; chairs: Chair[]; game: number; games: number; table: string | null;
  ply: number; score: [number, number];
}
export interface Outcome { table: number; game: number; id: string; players: [string, string]; plies: number; result: ResultView; remark: string }
export interface Server {
  id: string; host: string; port: number; map: string; rules: string; time: number; duration: number | null; games: number;
  reconnect: boolean; lenient: boolean; opponent: string; terminal: boolean; over: string; arriving: number; played: number;
  tables: TcpTable[]; results: Outcome[]; lines: number; trace: string[];
}
