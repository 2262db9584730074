// @ts-check
// Where the page begins.
import { route } from "./router.js";
import { bindToggle } from "./theme.js";

const find = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));

bindToggle(find("theme"));
route(find("page"), find("links"));
