// @ts-check
// Small choices that this browser remembers.

/** @param {string} name @param {string} usual */
export function remembered(name, usual) {
  try {
    return localStorage.getItem(`noctagon.${name}`) ?? usual;
  } catch {
    return usual;
  }
}

/** @param {string} name @param {string} value */
export function remember(name, value) {
  try {
    localStorage.setItem(`noctagon.${name}`, value);
  } catch {
    // a private window: the choice is not kept
  }
}
