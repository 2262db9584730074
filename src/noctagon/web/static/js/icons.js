// @ts-check
// The few pictures on buttons.
import { h, svg } from "./element.js";

const PATHS = {
  first: "M5 5h2v14H5zM19 5v14l-11-7z",
  back: "M17 5v14L7 12z",
  play: "M7 4v16l13-8z",
  pause: "M6 5h4v14H6zM14 5h4v14h-4z",
  next: "M7 5v14l10-7z",
  last: "M17 5h2v14h-2zM5 5v14l11-7z",
  sound: "M4 9v6h4l5 4V5L8 9zM16 8q2.4 4 0 8M18.5 5.5q4.6 6.5 0 13",
  silence: "M4 9v6h4l5 4V5L8 9zM16 9l6 6M22 9l-6 6",
  large: "M4 4h6v2H6v4H4zM14 4h6v6h-2V6h-4zM4 14h2v4h4v2H4zM18 14h2v6h-6v-2h4z",
};

/** @param {keyof typeof PATHS} name */
export function icon(name) {
  return svg(
    "svg",
    { class: `icon ${name}`, viewBox: "0 0 24 24", "aria-hidden": "true" },
    svg("path", { d: PATHS[name] }),
  );
}

/** @param {keyof typeof PATHS} name @param {string} label @param {() => void} press @param {string} [cls] */
export function iconButton(name, label, press, cls = "") {
  return h(
    "button",
    { type: "button", class: `icon-button ${cls}`, "aria-label": label, title: label, on: { click: press } },
    icon(name),
  );
}

/** @param {HTMLElement} button @param {keyof typeof PATHS} name @param {string} label */
export function relabel(button, name, label) {
  if (button.getAttribute("aria-label") === label) return;
  button.setAttribute("aria-label", label);
  button.title = label;
  button.replaceChildren(icon(name));
}
