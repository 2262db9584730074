// @ts-check
// A game as it goes on: its history, its state, and word of every change, whatever happens to the connection.
/** @import {Frame, Result, Snapshot, TableState, Thought} from "./types" */
import { ApiError, Feed, get } from "./api.js";
import { History } from "./history.js";

/**
 * Events: `reset` (everything is new), `frame` (detail: the frame), `rewound`, `state`, `thinking` (detail: side and
 * thought), `end`, `connection`, `gone` (the game does not exist any more).
 */
export class LiveTable extends EventTarget {
  /** @param {string} id @param {Snapshot} snapshot */
  constructor(id, snapshot) {
    super();
    this.id = id;
    this.connected = true;
    /** @type {[Thought | null, Thought | null]} what each side is thinking right now */
    this.thinking = [null, null];
    this.clockAt = performance.now();
    this.snapshot = snapshot;
    this.history = new History(snapshot.view);
    /** @type {TableState} */
    this.state = snapshot;
    this.result = snapshot.result;
    this.take(snapshot);
    /** @type {Feed | null} */
    this.feed = null;
    if (snapshot.live !== false) this.follow();
  }

  /** @param {string} id */
  static async open(id) {
    return new LiveTable(id, await get(`/tables/${encodeURIComponent(id)}`));
  }

  follow() {
    const path = () => `/tables/${encodeURIComponent(this.id)}/live?after=${this.history.length}`;
    this.feed = new Feed(path, (message) => this.receive(message), (connected) => this.connection(connected));
  }

  /** @param {Snapshot} snapshot */
  take(snapshot) {
    this.snapshot = snapshot;
    this.history = new History(snapshot.view);
    for (const frame of snapshot.frames) this.history.add(frame);
    this.state = snapshot;
    this.result = snapshot.result;
    this.clockAt = performance.now();
  }

  /** @param {any} message */
  receive(message) {
    if (message.snapshot) {
      this.take(message.snapshot);
      this.tell("reset");
    } else if (message.frame) {
      /** @type {Frame} */
      const frame = message.frame;
      this.thinking = [null, null];
      if (this.history.add(frame)) {
        this.state = { ...this.state, ...this.askedAfter(frame) };
        this.clockAt = performance.now();
        this.tell("frame", frame);
        this.tell("state");
      }
    } else if (message.rewound !== undefined) {
      this.history.rewind(Number(message.rewound));
      this.state = { ...this.state, ...this.askedAfter({ mover: this.history.mover(this.history.length), result: null }) };
      this.clockAt = performance.now();
      this.result = null;
      this.tell("rewound");
    } else if (message.state) {
      this.state = { ...this.state, ...message.state };
      this.clockAt = performance.now();
      this.tell("state");
    } else if (message.thinking) {
      this.thinking[message.thinking.side] = message.thinking;
      this.tell("thinking", message.thinking);
    } else if (message.end) {
      this.result = message.end;
      this.state = { ...this.state, waiting: null, clock: null };
      this.feed?.close();
      this.tell("end");
    }
  }

  /** Who is asked once a turn was played, or taken back: only where it is somebody else, or later, another message says so. @param {Pick<Frame, "mover" | "result">} frame */
  askedAfter({ mover, result }) {
    if (result || (this.state.paused && !this.snapshot.humans[mover])) return { waiting: null, clock: null };
    const seconds = this.snapshot.humans[mover] ? null : Number(this.snapshot.time) || null;
    return { waiting: mover, clock: { side: mover, seconds, elapsed: 0 } };
  }

  /** @param {boolean} connected */
  connection(connected) {
    this.connected = connected;
    this.tell("connection");
    if (!connected) void this.look();
  }

  /** The connection broke: is the game still there at all? */
  async look() {
    try {
      await get(`/tables/${encodeURIComponent(this.id)}`);
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) {
        this.feed?.close();
        this.snapshot = { ...this.snapshot, live: false }; // what has come can still be looked at
        this.state = { ...this.state, waiting: null, clock: null };
        this.tell("state");
        this.tell("gone");
      }
    }
  }

  /** The text of the position after `n` turns. @param {number} n @returns {Promise<string>} */
  async positionAt(n) {
    if (n === 0) return this.snapshot.position;
    return (await get(`/tables/${encodeURIComponent(this.id)}/positions/${n}`)).position;
  }

  /** How long the side on move has thought, in seconds. */
  elapsed() {
    const { clock } = this.state;
    return clock?.side === null || !clock ? 0 : clock.elapsed + (performance.now() - this.clockAt) / 1000;
  }

  /** @param {string} name @param {unknown} [detail] */
  tell(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }

  close() {
    this.feed?.close();
  }
}
