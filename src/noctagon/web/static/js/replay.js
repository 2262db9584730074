// @ts-check
// The page of a recorded game on the server: the replay, its evaluation, analysis, links.
/** @import {Show} from "./pages.js" */
/** @import {ReplayView} from "./messages" */
import { Analysis } from "./analysis.js";
import { get } from "./api.js";
import { h } from "./element.js";
import { Evaluate } from "./evaluate.js";
import { acceptDrops } from "./open_file.js";
import { ReplayPage } from "./replay_page.js";
import { Share } from "./share.js";
import { facesOf } from "./symbols.js";

/** @param {Show} show @param {string} id @param {string} [ply] @returns {Promise<() => void>} how to leave it */
export async function openReplay(show, id, ply = "0") {
  const path = `/records/${encodeURIComponent(id)}`;
  /** @type {ReplayView} */
  const snapshot = await get(path);
  const page = new ReplayPage(snapshot, await facesOf(snapshot.game));
  const complain = (/** @type {unknown} */ problem) => page.banner.complain(problem);
  const evaluate = new Evaluate(page.evaluation, id, complain);
  const positionAt = async (/** @type {number} */ n) => (await get(`${path}/positions/${n}`)).position;
  const analysis = new Analysis(page.viewer, page.snapshot, page.faces, positionAt);
  analysis.toggled = (on) => page.thinking.hush(on);
  const stays = /^\d+$/.test(id);
  const share = new Share(page.viewer, page.snapshot, positionAt, stays ? id : "");
  const save = (/** @type {string} */ what, /** @type {string} */ text, /** @type {string} */ name) =>
    h("a", { class: "button small-button", href: `/api/v1${path}/${what}`, download: name }, text);
  const files = h(
    "div",
    { class: "row" },
    save("page.html", "Save as a page", `noctagon-${snapshot.game}.html`),
    save("raw", "Save the record", `noctagon-${snapshot.game}.json`),
  );
  page.extra.append(
    analysis.element,
    h("section", { class: "card share" }, h("h2", {}, "Share"), share.element, files),
  );
  page.viewer.scrub(Number(ply));
  const where = addressFollows(page.viewer, id);
  const undrop = acceptDrops(page.element, complain);
  show(page.element, page.title);
  page.showRow();
  return () => {
    undrop();
    where();
    evaluate.stop();
    analysis.close();
    page.close();
  };
}

/** The address names the turn shown, so that a reload comes back to it. @param {import("./viewer.js").Viewer} viewer @param {string} id */
function addressFollows(viewer, id) {
  let timer = 0;
  const later = () => {
    clearTimeout(timer);
    timer = window.setTimeout(
      () => window.history.replaceState(null, "", `#/replay/${encodeURIComponent(id)}/${viewer.n}`),
      400,
    );
  };
  viewer.addEventListener("moved", later);
  return () => clearTimeout(timer);
}
