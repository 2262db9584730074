// @ts-check
// The evaluation of a whole game by the champion: asks the server, shows the progress, stops on demand.
/** @import {EvaluationGraph} from "./evaluation.js" */
/** @import {ErrorMessage, EvaluatedTurn, EvaluationEnd, EvaluationStart} from "./messages" */
import { ApiError, request } from "./api.js";
import { fill, h, say } from "./element.js";

/** Seconds for each position. */
const THOROUGH = [
  [0.1, "quickly"],
  [0.3, "as usual"],
  [1, "thoroughly"],
];

export class Evaluate {
  /** @param {EvaluationGraph} graph @param {string} id of the record @param {(problem: unknown) => void} complain */
  constructor(graph, id, complain) {
    this.graph = graph;
    this.id = id;
    this.complain = complain;
    /** @type {AbortController | null} */
    this.running = null;
    this.time = h(
      "select",
      { "aria-label": "How thoroughly" },
      ...THOROUGH.map(([seconds, name]) => h("option", { value: seconds, selected: seconds === 0.3 }, name)),
    );
    this.button = h(
      "button",
      { type: "button", class: "small-button primary", on: { click: () => void this.pressed() } },
      "Find the mistakes",
    );
    this.state = h("span", { class: "progress", role: "status" });
    fill(graph.tools, this.state, this.time, this.button);
    graph.element.hidden = false;
  }

  async pressed() {
    if (this.running) {
      this.stop();
      return;
    }
    this.running = new AbortController();
    say(this.button, "Stop");
    this.time.disabled = true;
    say(this.state, "beginning …");
    this.graph.reset();
    try {
      await this.run(this.running.signal);
      say(this.state, "");
    } catch (problem) {
      const stopped = problem instanceof DOMException && problem.name === "AbortError";
      say(this.state, stopped ? "stopped" : "");
      if (!stopped) this.complain(problem);
    }
    this.running = null;
    this.time.disabled = false;
    say(this.button, "Again");
    this.button.classList.remove("primary");
  }

  /** @param {AbortSignal} signal */
  async run(signal) {
    let turns = 0;
    for await (const message of lines(
      `/api/v1/records/${encodeURIComponent(this.id)}/evaluation`,
      { time: Number(this.time.value) },
      signal,
    )) {
      if ("error" in message) throw new ApiError(message.error, 400);
      if ("turns" in message) turns = message.turns;
      if (!("chance" in message)) continue;
      this.graph.add(message);
      say(this.state, `${message.n} of ${turns}`);
    }
  }

  stop() {
    this.running?.abort();
  }
}

/**
 * The lines of JSON that a request is answered with, as they come.
 * @param {string} address @param {unknown} body @param {AbortSignal} signal
 * @returns {AsyncGenerator<EvaluationStart | EvaluatedTurn | EvaluationEnd | ErrorMessage>}
 */
async function* lines(address, body, signal) {
  const response = await request(address, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    signal,
  });
  if (!response.ok || !response.body) {
    const answer = await response.json().catch(() => null);
    throw new ApiError(answer?.error ?? `The server answered ${response.status}.`, response.status);
  }
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  while (true) {
    const { done, value } = await reader.read();
    if (done) return;
    const parts = (rest + value).split("\n");
    rest = parts.pop() ?? "";
    for (const part of parts) if (part) yield JSON.parse(part);
  }
}
