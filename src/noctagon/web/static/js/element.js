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
    else if (name === "on") for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
}

/** @param {Element} element @param {...Child} children */
function add(element, ...children) {
  for (const child of children) {
    if (child !== null && child !== undefined && child !== false) {
      element.append(child instanceof Node ? child : String(child));
    }
  }
}

/** Replace what is inside, skipping what is nothing. @param {Element} element @param {...Child} children */
export function fill(element, ...children) {
  element.replaceChildren();
  add(element, ...children);
}

/** Set a text only where it differs, so that nothing is laid out again. @param {Node} node @param {string} text */
export function say(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

let made = 0;
/** An id that nothing else in the document has. @param {string} prefix */
export const fresh = (prefix) => `${prefix}-${++made}`;
