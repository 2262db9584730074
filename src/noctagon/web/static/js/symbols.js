// @ts-check
// A game's own symbols, fetched once and put into the document, where every board uses them.
/** @import {Face, Faces} from "./types" */
import { NoAnswer, request } from "./api.js";
import { svg } from "./element.js";
import { dress } from "./theme.js";

/** @type {Map<string, Promise<Faces>>} */
const sheets = new Map();

/** The faces of a game's pieces by kind. @param {string} game @returns {Promise<Faces>} */
export function facesOf(game) {
  let sheet = sheets.get(game);
  if (!sheet) {
    sheet = request(`/api/v1/games/${encodeURIComponent(game)}/symbols.svg`)
      .catch(() => {
        throw new NoAnswer();
      })
      .then((response) => (response.ok ? response.text() : ""))
      .then((text) => install(game, text));
    sheets.set(game, sheet);
    sheet.catch(() => sheets.delete(game));
  }
  return sheet;
}

/**
 * Take over the `<symbol>` elements of a sheet. The content security policy forbids style attributes, so
 * what they say becomes presentation attributes.
 * @param {string} game @param {string} text @returns {Faces}
 */
export function install(game, text) {
  /** @type {Faces} */
  const faces = new Map();
  const parsed = new DOMParser().parseFromString(text.replaceAll(" style=", " data-style="), "image/svg+xml");
  const home = svg("svg", { class: "symbols", "aria-hidden": "true", width: 0, height: 0 });
  for (const found of parsed.querySelectorAll("symbol")) {
    const kind = found.id.replace(`noctagon-${game}-`, "");
    const symbol = document.importNode(found, true);
    symbol.id = `noctagon-${game}-${kind}`.replace(/[^\w-]/g, "-");
    for (const part of symbol.querySelectorAll("[data-style]")) plain(part);
    home.append(symbol);
    faces.set(kind, { id: symbol.id, tint: symbol.getAttribute("data-tint") ?? "" });
  }
  document.body.append(home);
  return faces;
}

/** @param {Element} part */
function plain(part) {
  for (const declaration of (part.getAttribute("data-style") ?? "").split(";")) {
    const [name, value] = declaration.split(":");
    if (name?.trim() && value) part.setAttribute(name.trim(), value.trim());
  }
  part.removeAttribute("data-style");
}

/** A kind's own tint, or its owner's: the first player warm, the second cool. @param {Faces} faces @param {string} kind @param {number | null} side */
export function tintOf(faces, kind, side) {
  return faces.get(kind)?.tint || (side === null ? "neutral" : side === 0 ? "warm" : "cool");
}

/** The tint of a side of a game, by its name. @param {Faces} faces @param {readonly string[]} sides @param {number} side */
export const sideTint = (faces, sides, side) => tintOf(faces, sides[side].toLowerCase(), side);

/** A side's emblem: its symbol, or a chip of its colour. @param {Faces} faces @param {readonly string[]} sides @param {number} side */
export function emblem(faces, sides, side) {
  const face = faces.get(sides[side].toLowerCase()) ?? faces.get("ai");
  const tint = sideTint(faces, sides, side);
  const picture = face
    ? svg("use", { href: `#${face.id}`, x: 4, y: 4, width: 92, height: 92 })
    : svg("circle", { class: "chip", cx: 50, cy: 50, r: 40 });
  const drawn = svg(
    "svg",
    { class: "noctagon-board emblem", viewBox: "0 0 100 100", "aria-hidden": "true" },
    svg("g", { class: tint }, picture),
  );
  dress(drawn);
  return drawn;
}
