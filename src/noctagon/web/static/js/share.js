// @ts-check
// Links to a position of any game, or to a turn of a record.
/** @import {Snapshot} from "./messages" */
/** @import {PositionAt} from "./types" */
/** @import {Viewer} from "./viewer.js" */
import { h, say } from "./element.js";

/** The part behind the # of a position. @param {string} game @param {string} position @param {Record<string, unknown>} rules */
export function positionPath(game, position, rules) {
  const text = encodeURIComponent(position).replaceAll("%2C", ",").replaceAll("%3A", ":").replaceAll("%3D", "=");
  const query = new URLSearchParams(Object.entries(rules).map(([name, value]) => [name, String(value)]));
  return `/position/${encodeURIComponent(game)}/${text}${query.size ? `?${query}` : ""}`;
}

/** The rules of a link to a position; null: it names none. @param {string} hash @returns {Record<string, unknown> | null} */
export function rulesOf(hash) {
  const query = new URLSearchParams(hash.split("?")[1] ?? "");
  const read = (/** @type {string} */ value) =>
    value === "true" || value === "false" ? value === "true" : /^\d+$/.test(value) ? Number(value) : value;
  return query.size ? Object.fromEntries([...query].map(([name, value]) => [name, read(value)])) : null;
}

export class Share {
  /**
   * @param {Viewer} viewer @param {Snapshot} snapshot @param {PositionAt} positionAt
   * @param {string} [record] the record's id, if it is one that stays
   */
  constructor(viewer, snapshot, positionAt, record = "") {
    this.viewer = viewer;
    this.snapshot = snapshot;
    this.record = record;
    this.said = h("span", { class: "said", role: "status" });
    this.link = h("input", { type: "text", readonly: true, hidden: true, "aria-label": "The link" });
    const button = (/** @type {string} */ text, /** @type {() => Promise<string>} */ path) =>
      h("button", { type: "button", class: "small-button", on: { click: () => void this.copy(path) } }, text);
    this.element = h(
      "div",
      { class: "row share-links" },
      button("Link to this position", async () =>
        positionPath(snapshot.game, await positionAt(viewer.n), snapshot.rules),
      ),
      record && button("Link to this turn", async () => `/replay/${encodeURIComponent(record)}/${viewer.n}`),
      this.said,
      this.link,
    );
  }

  /** @param {() => Promise<string>} path */
  async copy(path) {
    try {
      this.link.value = `${location.origin}${location.pathname}#${await path()}`;
    } catch (problem) {
      say(this.said, problem instanceof Error ? problem.message : String(problem));
      return;
    }
    try {
      await navigator.clipboard.writeText(this.link.value);
      this.link.hidden = true;
      say(this.said, "Copied.");
    } catch {
      this.link.hidden = false; // a page that is not from this machine may not use the clipboard
      this.link.focus();
      this.link.select();
      say(this.said, "Copy it from here:");
    }
  }
}
