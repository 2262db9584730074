// @ts-check
// The map editor's requests to the server.
/** @import {DrawnMap, MapChecked, MapRead, MapWishes, SetupView} from "./messages" */
import { ApiError, NoAnswer, get, post, request } from "./api.js";

export const LARGEST_FILE = 2 ** 20;

/** @param {DrawnMap} map @returns {Promise<MapChecked>} */
export const check = (map) => post("/maps/check", { map });

/** @param {MapWishes} wishes @returns {Promise<MapRead>} */
export const generate = (wishes) => post("/maps/generate", wishes);

/** @param {string} name @returns {Promise<SetupView>} */
export const bundled = (name) => get(`/games/vampires/setups/${encodeURIComponent(name)}`);

/** The map in a file. @param {Blob} file @returns {Promise<MapRead>} */
export async function parse(file) {
  if (file.size > LARGEST_FILE)
    throw new ApiError("This file is over 1 MB; no map that is drawn here is that large.", 413);
  return (await send("/maps/parse", file, "application/xml")).json();
}

/** The file of a map. @param {DrawnMap} map */
export async function xml(map) {
  return (await send("/maps/xml", JSON.stringify({ map }), "application/json")).blob();
}

/** @param {string} path @param {BodyInit} body @param {string} type */
async function send(path, body, type) {
  /** @type {Response} */
  let response;
  try {
    response = await request(`/api/v1${path}`, { method: "POST", body, headers: { "content-type": type } });
  } catch {
    throw new NoAnswer();
  }
  if (response.ok) return response;
  const answer = await response.json().catch(() => null);
  throw new ApiError(answer?.error ?? `The server answered ${response.status}.`, response.status);
}
