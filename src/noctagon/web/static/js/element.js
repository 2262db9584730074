// @ts-check
// Making elements: text is always text, never markup.

/** @typedef {Node | string | number | null | undefined | false} Child */

/**
 * An HTML element. `class`, `text` and `on` (listeners by event) are special; `true` sets an empty attribute, `false` none.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Record<string, any>} [attributes]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  give(element, attributes);
  add(element, ...children);
  return element;
}

/**
 * An SVG element.
 * @template {keyof SVGElementTagNameMap} T
 * @param {T} tag
 * @param {Record<string, any>} [attributes]
 * @param {...Child} children
 * @returns {SVGElementTagNameMap[T]}
 */
export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  give(element, attributes);
  add(element, ...children);
  return element;
}

/** @param {Element} element @param {Record<string, any>} attributes */
function give(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "text") element.textContent = String(value);
    else if (name === "on")
      for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
}

/** @param {Element} element @param {...Child} children */
function add(element, ...children) {
  element.append(...nodes(children));
}

/** Return the children that are there, as nodes. @param {Child[]} children @returns {Node[]} */
function nodes(children) {
  return children.flatMap((child) => {
    if (child === null || child === undefined || child === false) return [];
    return child instanceof Node ? child : document.createTextNode(String(child));
  });
}

/** Replace the children; null and false are skipped. @param {Element} element @param {...Child} children */
export function fill(element, ...children) {
  element.replaceChildren();
  add(element, ...children);
}

/**
 * Make what is inside into this, where the reader may be at work: what is in both stays the same element, so that it keeps the
 * focus and a press that has begun. Rows are known again by their `data-key`; where the one with the focus goes, the next
 * has it. Listeners belong to what stays; nothing in there may have a style of its own.
 * @param {Element} element @param {...Child} children
 */
export function refill(element, ...children) {
  const focused = /** @type {HTMLElement | null} */ (
    element.contains(document.activeElement) ? document.activeElement : null
  );
  const row = focused?.closest("[data-key]");
  const rows = row?.parentElement;
  const place = row && rows ? [...rows.children].indexOf(row) : -1;
  become(element, nodes(children));
  if (!focused || focused === document.activeElement) return;
  const next = element.contains(focused)
    ? focused
    : rows?.children[Math.min(place, rows.children.length - 1)]?.querySelector("a, button");
  /** @type {HTMLElement | null | undefined} */ (next)?.focus({ preventScroll: true });
}

/** @param {Element} element @param {Node[]} wanted */
function become(element, wanted) {
  const old = new Set([...element.childNodes].filter((node) => !wanted.includes(node)));
  const kept = wanted.map((node) => {
    const same = node.parentNode === element ? null : [...old].find((one) => alike(one, node));
    if (!same) return node;
    old.delete(same);
    if (same instanceof Element && node instanceof Element) imitate(same, node);
    else say(same, node.textContent ?? "");
    return same;
  });
  for (const node of old) node.remove(); // first: so those that stay need not move
  kept.forEach((node, at) => {
    if (element.childNodes[at] !== node) element.insertBefore(node, element.childNodes[at] ?? null);
  });
}

/** @param {Node} one @param {Node} other */
function alike(one, other) {
  if (one.nodeName !== other.nodeName) return false;
  return !(one instanceof HTMLElement && other instanceof HTMLElement) || one.dataset.key === other.dataset.key;
}

/** @param {Element} element @param {Element} other */
function imitate(element, other) {
  for (const { name } of [...element.attributes]) if (!other.hasAttribute(name)) element.removeAttribute(name);
  for (const { name, value } of other.attributes)
    if (element.getAttribute(name) !== value) element.setAttribute(name, value);
  become(element, [...other.childNodes]);
}

/** Set a text only if it differs, so that no layout is needed. @param {Node} node @param {string} text */
export function say(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

let made = 0;
/** Return an id that is unique in the document. @param {string} prefix */
export const fresh = (prefix) => `${prefix}-${++made}`;
