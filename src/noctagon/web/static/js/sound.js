// @ts-check
// Short tones, off until they are switched on.
/** @import {TurnFrame} from "./messages" */
import { remember, remembered } from "./settings.js";

/** @type {AudioContext | null} */
let audio = null;
let on = remembered("sound", "off") === "on";

export const soundIsOn = () => on;

/** @param {boolean} wanted */
export function setSound(wanted) {
  on = wanted;
  remember("sound", wanted ? "on" : "off");
  if (wanted) tone(660, 0.09, 0);
}

/** @param {number} pitch @param {number} length @param {number} after in seconds @param {OscillatorType} [type] */
function tone(pitch, length, after, type = "sine") {
  audio ??= new AudioContext();
  if (audio.state === "suspended") void audio.resume();
  const start = audio.currentTime + after;
  const source = audio.createOscillator();
  const volume = audio.createGain();
  source.type = type;
  source.frequency.value = pitch;
  volume.gain.setValueAtTime(0.0001, start);
  volume.gain.exponentialRampToValueAtTime(0.12, start + 0.012);
  volume.gain.exponentialRampToValueAtTime(0.0001, start + length);
  source.connect(volume).connect(audio.destination);
  source.start(start);
  source.stop(start + length + 0.02);
}

/** Play the sound of a turn. @param {TurnFrame} frame */
export function hear(frame) {
  if (!on || document.hidden) return;
  tone(frame.side ? 392 : 494, 0.1, 0);
  frame.battles
    .slice(0, 3)
    .forEach((battle, number) => tone(battle.won ? 784 : 196, 0.18, 0.14 + number * 0.1, "triangle"));
  if (frame.result) [523, 659, 784].forEach((pitch, number) => tone(pitch, 0.3, 0.4 + number * 0.16));
}
