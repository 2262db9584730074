// @ts-check
// The controls under the board: back and forth through the turns, pause, step, speed, sound.
/** @import {LiveTable} from "./live.js" */
/** @import {Viewer} from "./viewer.js" */
import { post } from "./api.js";
import { h, say } from "./element.js";
import { iconButton, relabel } from "./icons.js";
import { PACES, nearestPace, paceName } from "./paces.js";
import { setSound, soundIsOn } from "./sound.js";

/** The speed of the replay of turns that were played without a pause. */
const REPLAY_PACE = 0.2;

export class Controls {
  /**
   * @param {Viewer} viewer @param {LiveTable} table
   * @param {string | null | false} key to steer the game itself; without it only what is shown is steered
   * @param {(problem: unknown) => void} complain
   */
  constructor(viewer, table, key, complain) {
    this.viewer = viewer;
    this.table = table;
    this.key = key || null;
    this.complain = complain;
    this.slider = h("input", {
      type: "range",
      min: 0,
      value: 0,
      class: "scrub",
      "aria-label": "Turn shown",
      on: { input: () => viewer.scrub(Number(this.slider.value)) },
    });
    this.first = iconButton("first", "To the first position", () => viewer.scrub(0));
    this.back = iconButton("back", "One turn back", () => this.viewer.scrub(this.viewer.n - 1));
    this.toggle = iconButton("pause", "Pause", () => this.playOrPause(), "large");
    this.next = iconButton("next", "One turn on", () => this.step());
    this.last = iconButton("last", "To the present", () => viewer.toPresent());
    this.sound = iconButton(soundIsOn() ? "sound" : "silence", "", () => this.toggleSound());
    this.where = h("span", { class: "where" });
    this.behind = h("button", { type: "button", class: "pill-button", on: { click: () => viewer.toPresent() } });
    /** The speed of a replay. */
    this.replayPace = table.state.pace || REPLAY_PACE;
    /** @type {number | null} how fast the game shall go on, until the server has heard it */
    this.wanted = null;
    this.pace = h("input", {
      type: "range",
      min: 0,
      max: PACES.length - 1,
      step: 1,
      "aria-label": "Speed",
      on: { input: () => this.setPace() },
    });
    this.paceName = h("output", {});
    this.speed = h("label", { class: "pace" }, h("span", {}, "Speed"), this.pace, this.paceName);
    this.element = h(
      "div",
      { class: "controls", role: "group", "aria-label": "Controls of the game" },
      h("div", { class: "timeline" }, this.slider),
      h("div", { class: "under" }, this.where, this.behind),
      h("div", { class: "buttons" }, this.first, this.back, this.toggle, this.next, this.last),
      h("div", { class: "more" }, this.speed, this.sound),
    );
    this.labelSound();
    this.update();
  }

  get over() {
    return this.table.result !== null || !this.table.snapshot.live;
  }

  /** Return whether pausing stops the game itself, not only the view. */
  get steers() {
    return this.key !== null && this.present;
  }

  /** Return whether the view follows the game rather than earlier turns. */
  get present() {
    return this.viewer.following && !this.over;
  }

  get moving() {
    return this.steers ? !this.table.state.paused : this.viewer.playing || this.present;
  }

  /** Return whether there is a next turn: one that was played, or a program's. A person is not hurried. */
  get canStep() {
    const { n, history } = this.viewer;
    return n < history.length || (this.steers && !this.table.snapshot.humans[history.mover(n)]);
  }

  playOrPause() {
    const { viewer } = this;
    if (this.steers) void this.order(this.table.state.paused ? "resume" : "pause");
    else if (viewer.playing) viewer.stop();
    else if (this.present) viewer.follow(false);
    else viewer.play();
    this.update();
  }

  step() {
    const { viewer } = this;
    if (viewer.n < viewer.history.length) viewer.scrub(viewer.n + 1);
    else if (this.canStep) void this.order("step");
  }

  /** @param {string} what @param {Record<string, unknown>} [more] @returns {Promise<unknown>} when the server has heard it, or cannot */
  order(what, more = {}) {
    return post(`/tables/${encodeURIComponent(this.table.id)}/${what}`, { key: this.key, ...more }).catch(
      this.complain,
    );
  }

  setPace() {
    const [pace] = PACES[Number(this.pace.value)];
    if (this.steers) void this.orderPace(pace);
    else this.replayPace = pace;
    this.showPace();
    if (this.viewer.playing) this.viewer.play();
  }

  /** One request at a time: of two at once, the server might handle the older one last. @param {number} pace */
  async orderPace(pace) {
    const underway = this.wanted !== null;
    this.wanted = pace;
    if (underway) return;
    let heard, sent;
    do {
      sent = this.wanted;
      heard = await this.order("pace", { pace: sent });
    } while (heard && sent !== this.wanted);
    this.wanted = null; // from now on the game's own state counts
    this.showPace();
  }

  /** The speed of the game, or of the replay. It is offered only to those who can change it. */
  showPace() {
    const pace = this.present ? (this.wanted ?? this.table.state.pace) : this.replayPace;
    this.viewer.interval = Math.max(120, pace * 1000);
    this.pace.value = String(nearestPace(pace));
    say(this.paceName, paceName(pace));
    this.pace.setAttribute("aria-valuetext", paceName(pace));
    const persons = this.table.snapshot.humans.every(Boolean);
    this.speed.classList.toggle("idle", this.present && (!this.steers || persons));
  }

  toggleSound() {
    setSound(!soundIsOn());
    this.labelSound();
  }

  labelSound() {
    relabel(
      this.sound,
      soundIsOn() ? "sound" : "silence",
      soundIsOn() ? "Sound is on: turn it off" : "Sound is off: turn it on",
    );
  }

  update() {
    const { viewer } = this;
    const { length } = viewer.history;
    this.slider.max = String(length);
    this.slider.value = String(viewer.n);
    this.slider.setAttribute("aria-valuetext", `turn ${viewer.n} of ${length}`);
    say(this.where, `Turn ${viewer.n} of ${length}`);
    const left = length - viewer.n;
    this.behind.hidden = viewer.following || (this.over && !left);
    say(this.behind, this.over ? "To the end" : left ? `Back to the present (${left} on)` : "Follow the game");
    relabel(this.toggle, this.moving ? "pause" : "play", this.moving ? "Pause" : "Play");
    this.allow(this.next, this.canStep);
    for (const button of [this.back, this.first]) this.allow(button, viewer.n > 0);
    this.allow(this.last, viewer.n < length);
    this.showPace();
  }

  /** Enable or disable a button; a disabled one passes the focus on. @param {HTMLButtonElement} button @param {boolean} possible */
  allow(button, possible) {
    if (!possible && button === document.activeElement) this.toggle.focus();
    button.disabled = !possible;
  }
}
