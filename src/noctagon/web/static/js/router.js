// @ts-check
// From the address to the page: leave the old one, open the new one, show errors.
/** @import {Page, Show} from "./pages.js" */
import { NoAnswer, answers } from "./api.js";
import { h } from "./element.js";
import { NotLoaded, PAGES } from "./pages.js";

/** @param {HTMLElement} root where pages are shown @param {HTMLElement} nav where the links are */
export function route(root, nav) {
  /** @type {() => void} */
  let leave = () => {};
  let opened = 0;
  let away = false;

  const links = [...nav.querySelectorAll("a")];
  for (const link of links) {
    link.addEventListener("click", () => {
      if (away && link.hash === location.hash) void open(); // the address stays the same: nothing else would happen
    });
  }
  const open = async () => {
    const number = ++opened;
    const current = () => number === opened;
    /** @type {Show} */
    const show = (element, title) => {
      if (!current()) return;
      root.replaceChildren(element);
      document.title = title ? `${title} · Noctagon` : "Noctagon";
    };
    const path = pathOf(location.hash);
    for (const link of links) {
      const here = link.getAttribute("href") === `#${path || "/"}`;
      if (here) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    leave();
    leave = () => {};
    away = false;
    try {
      const [page, found] = match(path);
      const left = await page.open(show, ...found);
      if (!current()) return left();
      leave = left;
      if (opened > 1) root.focus({ preventScroll: true });
      window.scrollTo(0, 0);
    } catch (error) {
      const late = error instanceof NotLoaded && (await answers());
      if (!current()) return;
      if (late && number > 1) return location.reload(); // the address says what to open; a page that was left has nothing to lose
      away = error instanceof NoAnswer && !late;
      show(
        sorry(late ? error.cause : error, () => void open()),
        away ? "No answer" : "Not here",
      );
    }
  };
  window.addEventListener("hashchange", () => void open());
  void open();
}

/** Return the part of the address after #, decoded as far as possible. @param {string} hash */
function pathOf(hash) {
  const path = hash.replace(/^#/, "").split("?")[0];
  try {
    return decodeURI(path);
  } catch {
    return path; // the page it names reports what it cannot read
  }
}

/** @param {string} path @returns {[Page, string[]]} */
function match(path) {
  for (const page of PAGES) {
    const found = page.path.exec(path);
    if (found) return [page, found.slice(1)];
  }
  throw new Error("There is no such page.");
}

/** @param {unknown} error @param {() => void} again */
function sorry(error, again) {
  if (error instanceof NoAnswer) return noAnswer(error.message, again);
  const cut = error instanceof URIError; // inside of a letter
  const text = cut ? "This link is not whole." : error instanceof Error ? error.message : String(error);
  return h(
    "section",
    { class: "card sorry" },
    h("h1", {}, "Not here"),
    h("p", { role: "alert" }, text),
    h("a", { class: "button primary", href: "#/" }, "To the first page"),
  );
}

/** @param {string} text @param {() => void} again */
function noAnswer(text, again) {
  const button = h("button", { type: "button", class: "primary" }, "Try again");
  button.addEventListener("click", () => {
    button.disabled = true;
    again();
  });
  return h(
    "section",
    { class: "card sorry" },
    h("h1", {}, "No answer"),
    h("p", { role: "alert" }, text),
    h("div", { class: "row" }, button, h("a", { class: "button", href: "#/" }, "To the first page")),
  );
}
