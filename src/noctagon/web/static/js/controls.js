// @ts-check
// Under the board: back and forth through the turns, pause, step, speed, sound.
/** @import {LiveTable} from "./live.js" */
/** @import {Viewer} from "./viewer.js" */
import { post } from "./api.js";
import { h, say } from "./element.js";
import { iconButton, relabel } from "./icons.js";
import { setSound, soundIsOn } from "./sound.js";

/** Seconds between turns, from slow to as fast as they think. */
const PACES = [4, 2, 1, 0.5, 0.2, 0];
const PACE_NAMES = ["4 s a turn", "2 s a turn", "1 s a turn", "½ s a turn", "⅕ s a turn", "at full speed"];

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
    this.slider = h("input", { type: "range", min: 0, value: 0, class: "scrub", "aria-label": "Turn shown", on: { input: () => viewer.scrub(Number(this.slider.value)) } });
    this.first = iconButton("first", "To the first position", () => viewer.scrub(0));
    this.back = iconButton("back", "One turn back", () => this.viewer.scrub(this.viewer.n - 1));
    this.toggle = iconButton("pause", "Pause", () => this.playOrPause(), "large");
    this.next = iconButton("next", "One turn on", () => this.step());
    this.last = iconButton("last", "To the present", () => viewer.toPresent());
    this.sound = iconButton(soundIsOn() ? "sound" : "silence", "", () => this.toggleSound());
    this.where = h("span", { class: "where" });
    this.behind = h("button", { type: "button", class: "pill-button", on: { click: () => viewer.toPresent() } });
    this.pace = h("input", { type: "range", min: 0, max: PACES.length - 1, step: 1, "aria-label": "Speed", on: { input: () => this.setPace() } });
    this.paceName = h("output", {});
    const pace = h("label", { class: "pace", hidden: table.snapshot.humans.every(Boolean) }, h("span", {}, "Speed"), this.pace, this.paceName);
    this.element = h(
      "div",
      { class: "controls", role: "group", "aria-label": "Controls of the game" },
      h("div", { class: "timeline" }, this.slider),
      h("div", { class: "under" }, this.where, this.behind),
      h("div", { class: "buttons" }, this.first, this.back, this.toggle, this.next, this.last),
      h("div", { class: "more" }, pace, this.sound),
    );
    this.showPace();
    this.labelSound();
    this.update();
  }

  get over() {
    return this.table.result !== null || this.table.snapshot.live === false;
  }

  /** Whether pausing stops the game itself, not only what is shown. */
  get steers() {
    return this.key !== null && this.viewer.following && !this.over;
  }

  get moving() {
    return this.steers ? !this.table.state.paused : this.viewer.playing || (this.viewer.following && !this.over);
  }

  playOrPause() {
    const { viewer } = this;
    if (this.steers) this.order(this.table.state.paused ? "resume" : "pause");
    else if (viewer.playing) viewer.stop();
    else if (viewer.following && !this.over) viewer.follow(false);
    else viewer.play();
    this.update();
  }

  step() {
    const { viewer } = this;
    if (viewer.n < viewer.history.length) viewer.scrub(viewer.n + 1);
    else if (this.steers) this.order("step");
  }

  /** @param {string} what @param {Record<string, unknown>} [more] */
  order(what, more = {}) {
    post(`/tables/${encodeURIComponent(this.table.id)}/${what}`, { key: this.key, ...more }).catch(this.complain);
  }

  setPace() {
    const pace = PACES[Number(this.pace.value)];
    this.viewer.interval = Math.max(120, pace * 1000);
    if (this.viewer.playing) this.viewer.play();
    if (this.key !== null && !this.over) this.order("pace", { pace });
    this.showPace(pace);
  }

  showPace(pace = this.table.state.pace ?? 1) {
    const nearest = PACES.reduce((best, one, at) => (Math.abs(one - pace) < Math.abs(PACES[best] - pace) ? at : best), 0);
    this.pace.value = String(nearest);
    say(this.paceName, PACE_NAMES[nearest]);
    this.pace.setAttribute("aria-valuetext", PACE_NAMES[nearest]);
    this.viewer.interval = Math.max(120, (PACES[nearest] || 0.2) * 1000);
  }

  toggleSound() {
    setSound(!soundIsOn());
    this.labelSound();
  }

  labelSound() {
    relabel(this.sound, soundIsOn() ? "sound" : "silence", soundIsOn() ? "Sound is on: turn it off" : "Sound is off: turn it on");
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
    this.next.disabled = viewer.n === length && !this.steers;
    this.back.disabled = this.first.disabled = viewer.n === 0;
    this.last.disabled = viewer.n === length;
  }
}
