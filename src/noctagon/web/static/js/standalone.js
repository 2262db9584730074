// @ts-check
// A replay that is a page of its own: everything it needs is in the file.
/** @import {EvaluatedTurn, ReplayView} from "./messages" */
import { ReplayPage } from "./replay_page.js";
import { install } from "./symbols.js";
import { bindToggle } from "./theme.js";

const find = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));

/** @type {{replay: ReplayView, symbols: string, evaluation: EvaluatedTurn[]}} */
const { replay, symbols, evaluation } = JSON.parse(find("game").textContent ?? "");
bindToggle(find("theme"));
const page = new ReplayPage(replay, install(replay.game, symbols));
if (evaluation.length) page.evaluation.add(...evaluation);
find("page").replaceChildren(page.element);
page.showRow();
