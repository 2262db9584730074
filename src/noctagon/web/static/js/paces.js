// @ts-check
// The speeds of a game that are offered, at its start and while it is played.

/** Seconds between turns, from slow to as fast as the players think, with their names. */
export const PACES = /** @type {[number, string][]} */ ([
  [4, "4 s a turn"],
  [2, "2 s a turn"],
  [1, "1 s a turn"],
  [0.5, "½ s a turn"],
  [0.2, "⅕ s a turn"],
  [0, "at full speed"],
]);

/** The pace unless another is chosen. */
export const USUAL_PACE = 0.5;

/** Return the number of the nearest speed offered: a game begun elsewhere may have another. @param {number} pace */
export const nearestPace = (pace) =>
  PACES.reduce((best, [one], at) => (Math.abs(one - pace) < Math.abs(PACES[best][0] - pace) ? at : best), 0);

/** @param {number} pace */
export const paceName = (pace) => PACES.find(([one]) => one === pace)?.[1] ?? `${pace} s a turn`;
