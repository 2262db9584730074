// @ts-check
// The API: questions and answers over HTTP, and a socket that reconnects by itself.

const BASE = "/api/v1";

/** The server's refusal. */
export class ApiError extends Error {
  /** @param {string} message @param {number} status 0: no connection at all */
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

/** The error when there is no answer at all. */
export class NoAnswer extends ApiError {
  constructor() {
    super("The server does not answer.", 0);
  }
}

/** Has an event `held` whenever an answer has to wait for something that is still being compiled. */
export const holdups = new EventTarget();

/** Milliseconds between a request that came too early and the next attempt. */
const EARLY = 500;

/** Send a request; while the server answers that something is still being compiled, send it again. @param {string} address @param {RequestInit} [options] */
export async function request(address, options) {
  for (;;) {
    const response = await fetch(address, options);
    if (response.status !== 503 || !response.headers.has("retry-after")) return response;
    holdups.dispatchEvent(new Event("held"));
    await new Promise((done) => setTimeout(done, EARLY));
  }
}

/**
 * @template T
 * @param {string} method @param {string} path @param {unknown} [body]
 * @returns {Promise<T>}
 */
async function ask(method, path, body) {
  /** @type {RequestInit} */
  const options = { method, headers: { accept: "application/json" } };
  if (body !== undefined) {
    options.body = JSON.stringify(body);
    options.headers = { accept: "application/json", "content-type": "application/json" };
  }
  let response;
  try {
    response = await request(BASE + path, options);
  } catch {
    throw new NoAnswer();
  }
  const text = await response.text();
  let answer = null;
  try {
    answer = text ? JSON.parse(text) : null;
  } catch {
    answer = null;
  }
  if (!response.ok) throw new ApiError(sentence(answer) || `The server answered ${response.status}.`, response.status);
  return answer;
}

/** @param {any} answer */
function sentence(answer) {
  if (typeof answer?.error === "string") return answer.error;
  if (typeof answer?.detail === "string") return answer.detail;
  return "";
}

/** @template T @param {string} path @returns {Promise<T>} */
export const get = (path) => ask("GET", path);
/** @template T @param {string} path @param {unknown} [body] @returns {Promise<T>} */
export const post = (path, body = {}) => ask("POST", path, body);
/** @template T @param {string} path @param {unknown} [body] @returns {Promise<T>} */
export const remove = (path, body) => ask("DELETE", path, body);

/** Return whether the server can be reached, whatever it answers. @returns {Promise<boolean>} */
export const answers = () =>
  get("/tables").then(
    () => true,
    (error) => !(error instanceof NoAnswer),
  );

/**
 * Return the list of an endpoint, empty where there is no such endpoint: for optional parts of a page.
 * @template T @param {string} path @param {string} [field] the field that holds the list, if it is not the answer itself
 * @returns {Promise<T[]>}
 */
export async function list(path, field = "") {
  try {
    /** @type {any} */
    const answer = await get(path);
    const found = Array.isArray(answer) ? answer : answer?.[field];
    return Array.isArray(found) ? found : [];
  } catch (error) {
    if (error instanceof ApiError && !(error instanceof NoAnswer)) return [];
    throw error;
  }
}

const WAITS = [300, 700, 1500, 3000, 5000];

/** A WebSocket that reconnects when it breaks, and asks only for messages that have not come yet. */
export class Feed {
  /**
   * @param {() => string} path where to connect, called for each connection (`after=N` moves on)
   * @param {(message: any) => void} receive
   * @param {(connected: boolean) => void} connected called on every change
   */
  constructor(path, receive, connected) {
    this.path = path;
    this.receive = receive;
    this.connected = connected;
    /** @type {WebSocket | null} */
    this.socket = null;
    this.failures = 0;
    this.timer = 0;
    this.closed = false;
    /** @type {boolean | null} */
    this.state = null;
    this.again = () => this.retry();
    window.addEventListener("online", this.again);
    window.addEventListener("offline", this.again);
    this.open();
  }

  open() {
    if (this.closed) return;
    const address = new URL(BASE + this.path(), location.href);
    address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(address);
    this.socket = socket;
    socket.addEventListener("open", () => {
      if (this.socket === socket) this.tell(true);
    });
    socket.addEventListener("message", (event) => {
      if (this.socket !== socket) return;
      this.failures = 0;
      this.receive(JSON.parse(event.data));
    });
    socket.addEventListener("close", () => {
      if (this.socket === socket) this.lost();
    });
  }

  lost() {
    this.socket = null;
    if (this.closed) return;
    this.tell(false);
    const wait = WAITS[Math.min(this.failures, WAITS.length - 1)];
    this.failures += 1;
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.open(), wait);
  }

  /** The network changed: do not trust the old connection, try a new one now. */
  retry() {
    if (this.closed) return;
    const old = this.socket;
    this.socket = null;
    old?.close();
    clearTimeout(this.timer);
    if (navigator.onLine) {
      this.failures = 0;
      this.open();
    } else {
      this.lost();
    }
  }

  /** @param {boolean} connected */
  tell(connected) {
    if (this.state !== connected) {
      this.state = connected;
      this.connected(connected);
    }
  }

  close() {
    this.closed = true;
    clearTimeout(this.timer);
    window.removeEventListener("online", this.again);
    window.removeEventListener("offline", this.again);
    const { socket } = this;
    this.socket = null;
    if (socket?.readyState === WebSocket.CONNECTING) socket.addEventListener("open", () => socket.close());
    else socket?.close();
  }
}
