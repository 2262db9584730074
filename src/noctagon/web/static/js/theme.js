// @ts-check
// Day and night: as the system has it, or as the reader chose; the boards follow.
import { remember } from "./settings.js";

/** @returns {"auto" | "light" | "dark"} */
export function theme() {
  const chosen = document.documentElement.dataset.theme;
  return chosen === "light" || chosen === "dark" ? chosen : "auto";
}

/** Return whether the page is dark now. */
export function isDark() {
  return theme() === "auto" ? matchMedia("(prefers-color-scheme: dark)").matches : theme() === "dark";
}

/** Give a board the page's theme. @param {Element} board */
export function dress(board) {
  board.classList.remove("auto", "light", "dark");
  board.classList.add(theme());
}

/** @param {HTMLElement} button the toggle of the page's head */
export function bindToggle(button) {
  const label = () => button.setAttribute("aria-label", isDark() ? "Use the light theme" : "Use the dark theme");
  label();
  button.addEventListener("click", () => {
    document.documentElement.dataset.theme = isDark() ? "light" : "dark";
    remember("theme", theme());
    for (const board of document.querySelectorAll(".noctagon-board")) dress(board);
    label();
  });
}
