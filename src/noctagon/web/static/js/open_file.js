// @ts-check
// A record from a file: chosen by a button, or dropped anywhere on the page.
/** @import {UploadedRecords} from "./messages" */
import { ApiError, NoAnswer, request } from "./api.js";
import { h } from "./element.js";

const LARGEST = 5 * 2 ** 20;

/** Send a file to the server, which reads it. @param {File} file @returns {Promise<UploadedRecords>} */
export async function upload(file) {
  if (file.size > LARGEST)
    throw new ApiError(
      `${file.name}: larger than 5 MB; split it, or keep its games in the store: noctagon records import`,
      413,
    );
  const headers = { "content-type": "application/json", accept: "application/json" };
  const response = await request("/api/v1/records", { method: "POST", body: await file.arrayBuffer(), headers }).catch(
    () => null,
  );
  if (!response) throw new NoAnswer();
  const answer = await response.json().catch(() => null);
  if (!response.ok)
    throw new ApiError(`${file.name}: ${answer?.error ?? `the server answered ${response.status}`}`, response.status);
  return answer;
}

/** Upload a file and open its game; one of several is chosen on the page of records. @param {File} file */
export async function openFile(file) {
  const { replays, trouble } = await upload(file);
  if (replays.length === 1) location.hash = `#/replay/${replays[0].id}`;
  else {
    uploaded.splice(0, uploaded.length, { name: file.name, replays, trouble });
    if (location.hash === "#/records") window.dispatchEvent(new HashChangeEvent("hashchange"));
    else location.hash = "#/records";
  }
}

/** The last upload, if it holds several games. @type {(UploadedRecords & {name: string})[]} */
export const uploaded = [];

/** A button that opens a file. @param {(problem: unknown) => void} complain */
export function fileButton(complain) {
  const input = h("input", {
    type: "file",
    accept: ".json,.jsonl,application/json",
    class: "unseen",
    tabindex: -1,
    "aria-hidden": "true",
  });
  input.addEventListener("change", () => {
    const [file] = input.files ?? [];
    if (file) openFile(file).catch(complain);
    input.value = "";
  });
  return h(
    "span",
    {},
    h("button", { type: "button", class: "primary", on: { click: () => input.click() } }, "Open a file …"),
    input,
  );
}

/**
 * Open what is dropped on the window.
 * @param {HTMLElement} element gets the class `dropping` while a file is above @param {(problem: unknown) => void} complain
 * @returns {() => void} how to stop
 */
export function acceptDrops(element, complain) {
  const over = (/** @type {DragEvent} */ event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    element.classList.add("dropping");
  };
  const gone = (/** @type {DragEvent} */ event) => {
    if (!event.relatedTarget) element.classList.remove("dropping");
  };
  const drop = (/** @type {DragEvent} */ event) => {
    element.classList.remove("dropping");
    const [file] = event.dataTransfer?.files ?? [];
    if (!file) return;
    event.preventDefault();
    openFile(file).catch(complain);
  };
  window.addEventListener("dragover", over);
  window.addEventListener("dragleave", gone);
  window.addEventListener("drop", drop);
  return () => {
    window.removeEventListener("dragover", over);
    window.removeEventListener("dragleave", gone);
    window.removeEventListener("drop", drop);
  };
}
