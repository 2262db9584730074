// @ts-check
// A running game: its history, its state, and an event for every change; it survives lost connections.
/** @import {ClockView, LiveMessage, ResultView, Snapshot, TableState, ThoughtView, TurnFrame} from "./messages" */
import { ApiError, Feed, get } from "./api.js";
import { History } from "./history.js";

/** The clock of a game in which no side is on move. @type {ClockView} */
export const STOPPED_CLOCK = { side: null, seconds: null, elapsed: 0 };

/**
 * Events: `reset` (everything is new), `frame` (detail: the frame), `rewound`, `state`, `thinking` (detail: side and
 * thought), `end`, `connection`, `gone` (the game no longer exists).
 */
export class LiveTable extends EventTarget {
  /** @param {string} id @param {Snapshot} snapshot */
  constructor(id, snapshot) {
    super();
    this.id = id;
    this.connected = true;
    /** @type {[ThoughtView | null, ThoughtView | null]} what each side is thinking right now */
    this.thinking = [null, null];
    this.clockAt = performance.now();
    this.snapshot = snapshot;
    this.history = new History(snapshot.view);
    /** @type {TableState} */
    this.state = snapshot;
    /** @type {ResultView | null} */
    this.result = snapshot.result;
    this.take(snapshot);
    /** @type {Feed | null} */
    this.feed = null;
    if (snapshot.live) this.follow();
  }

  /** @param {string} id */
  static async open(id) {
    return new LiveTable(id, await get(`/tables/${encodeURIComponent(id)}`));
  }

  follow() {
    const path = () => `/tables/${encodeURIComponent(this.id)}/live?after=${this.history.length}`;
    this.feed = new Feed(
      path,
      (message) => this.receive(message),
      (connected) => this.connection(connected),
    );
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

  /** @param {LiveMessage} message */
  receive(message) {
    if (message.snapshot) {
      this.take(message.snapshot);
      this.tell("reset");
    } else if (message.frame) {
      const { frame } = message;
      this.thinking = [null, null];
      if (this.history.add(frame)) {
        this.state = { ...this.state, ...this.askedAfter(frame) };
        this.clockAt = performance.now();
        this.tell("frame", frame);
        this.tell("state");
      }
    } else if (typeof message.rewound === "number") {
      this.history.rewind(message.rewound);
      this.state = {
        ...this.state,
        ...this.askedAfter({ mover: this.history.mover(this.history.length), result: null }),
      };
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
      this.state = { ...this.state, waiting: null, clock: STOPPED_CLOCK };
      this.feed?.close();
      this.tell("end");
    }
  }

  /** Return the side to move after a turn was played or taken back; a message corrects it where it differs. @param {Pick<TurnFrame, "mover" | "result">} frame @returns {Pick<TableState, "waiting" | "clock">} */
  askedAfter({ mover, result }) {
    if (result || (this.state.paused && !this.snapshot.humans[mover])) return { waiting: null, clock: STOPPED_CLOCK };
    const seconds = this.snapshot.humans[mover] ? null : this.snapshot.time;
    return { waiting: mover, clock: { side: mover, seconds, elapsed: 0 } };
  }

  /** @param {boolean} connected */
  connection(connected) {
    this.connected = connected;
    this.tell("connection");
    if (!connected) void this.look();
  }

  /** The connection broke: find out if the game still exists. */
  async look() {
    try {
      await get(`/tables/${encodeURIComponent(this.id)}`);
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) {
        this.feed?.close();
        this.snapshot = { ...this.snapshot, live: false }; // what has come can still be looked at
        this.state = { ...this.state, waiting: null, clock: STOPPED_CLOCK };
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

  /** Return the seconds that the side on move has thought. */
  elapsed() {
    const { clock } = this.state;
    return clock.side === null ? 0 : clock.elapsed + (performance.now() - this.clockAt) / 1000;
  }

  /** @param {string} name @param {unknown} [detail] */
  tell(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }

  close() {
    this.feed?.close();
  }
}
