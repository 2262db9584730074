// @ts-check
// The panels beside a live game: the champion's analysis, links, and the way to its replay.
/** @import {GamePage} from "./game.js" */
import { Analysis } from "./analysis.js";
import { h } from "./element.js";
import { openFile } from "./open_file.js";
import { Share } from "./share.js";

/** @param {GamePage} page @returns {() => void} how to take it away */
export function addExtras(page) {
  const { table, viewer, faces } = page;
  const positionAt = (/** @type {number} */ n) => table.positionAt(n);
  const analysis = new Analysis(viewer, table.snapshot, faces, positionAt);
  analysis.toggled = (on) => page.thinking.hush(on || page.hand !== null);
  const share = new Share(viewer, table.snapshot, positionAt);
  const complain = (/** @type {unknown} */ problem) => page.banner.complain(problem);
  const review = h(
    "button",
    { type: "button", class: "small-button", on: { click: () => void asReplay(table.id).catch(complain) } },
    "Find the mistakes",
  );
  share.element.append(review);
  const update = () => {
    review.hidden = table.result === null;
  };
  for (const event of ["end", "rewound", "reset"]) table.addEventListener(event, update);
  update();
  analysis.element.append(share.element);
  page.extra.append(analysis.element);
  return () => analysis.close();
}

/** Open a finished game as a record. @param {string} id */
async function asReplay(id) {
  const response = await fetch(`/api/v1/tables/${encodeURIComponent(id)}/record`);
  if (!response.ok) throw new Error("The record of this game is not there any more.");
  await openFile(new File([await response.blob()], "game.json"));
}
