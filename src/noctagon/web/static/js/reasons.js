// @ts-check
// Why a move is liked: the terms of an evaluation, in words.

/** Names of the champions' terms for readers; other terms keep their own names. @type {Record<string, string>} */
const WORDS = {
  creatures: "creatures",
  "ahead at the end": "the lead when time is up",
  "houses in reach": "houses within reach",
  "race for houses": "the race for the houses",
  "prey in reach": "whom it can hunt and who hunts it",
  together: "keeping together",
  units: "the units on the board",
  health: "their health",
  "virus's way": "the virus's way to the AI",
  hurry: "the turns that are left",
  approach: "coming closer",
  guards: "guards around the AI",
  freedom: "room to move",
  waiters: "units that stand ready",
  "turn limit": "the turns that are left",
  fights: "who wins which fight",
  waiting: "who can wait longer",
  safety: "the safety of the AIs",
  learned: "the neural network's view of the position",
  "game over": "games that end here",
};

/** @param {string} term */
export const termName = (term) => WORDS[term] ?? term.replaceAll("_", " ");

/** @param {number} value */
function amount(value) {
  const rounded = Math.abs(value) >= 10 ? Math.round(value) : Math.round(value * 10) / 10;
  return rounded > 0 ? `+${rounded}` : String(rounded).replace("-", "−");
}

/**
 * The terms in which a move differs most from another, in its favour and against it.
 * @param {Record<string, number>} terms @param {Record<string, number>} others
 * @returns {{better: string[], worse: string[]}}
 */
export function differences(terms, others) {
  const names = [...new Set([...Object.keys(terms), ...Object.keys(others)])];
  const all = names
    .map((name) => ({ name, by: (terms[name] ?? 0) - (others[name] ?? 0) }))
    .sort((a, b) => Math.abs(b.by) - Math.abs(a.by));
  const least = Math.max(0.05, Math.abs(all[0]?.by ?? 0) * 0.04);
  const named = (/** @type {number} */ sign) =>
    all
      .filter(({ by }) => by * sign > least)
      .slice(0, 3)
      .map(({ name, by }) => `${termName(name)} (${amount(by)})`);
  return { better: named(1), worse: named(-1) };
}

/**
 * Sentences about why a move is liked, against another one where there is one. They tell how it looks before anybody
 * answers; a search looks further, and may like better what looks worse.
 * @param {Record<string, number>} terms
 * @param {{name: string, terms: Record<string, number>, liked: boolean} | null} other and whether it is the one that is liked better
 */
export function sentences(terms, other) {
  if (!Object.keys(terms).length) return ["This player does not tell its reasons."];
  const { better, worse } = differences(terms, other?.terms ?? {});
  const [more, less] = [better, worse].map((found) => found.join(", "));
  if (!more && !less)
    return [
      other
        ? `At first sight it is as good as ${other.name}; what follows decides.`
        : "At first sight neither side is better off; what follows decides.",
    ];
  if (!other) return [more && `For it: ${more}.`, less && `Against it: ${less}.`].filter(Boolean);
  const found = more
    ? [`At first sight it is ahead of ${other.name} in ${more}${less ? `, and behind in ${less}` : ""}.`]
    : [`At first sight it is behind ${other.name} in ${less}.`];
  return (other.liked ? less : more) ? found : [...found, "What follows decides."];
}
