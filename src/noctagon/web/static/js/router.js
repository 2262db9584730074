// @ts-check
// From the address to the page: leaves the old one, opens the new one, says what went wrong.
import { h } from "./element.js";
import { PAGES } from "./pages.js";

/** @param {HTMLElement} root where pages are shown @param {HTMLElement} nav where the links are */
export function route(root, nav) {
  /** @type {() => void} */
  let leave = () => {};
  let opened = 0;

  const links = PAGES.flatMap((page) => (page.link ? [h("a", { href: page.link.href }, page.link.text)] : []));
  nav.replaceChildren(...links);

  const open = async () => {
    const number = ++opened;
    const path = decodeURI(location.hash.replace(/^#/, "").split("?")[0]);
    for (const link of links) {
      const here = link.getAttribute("href") === `#${path || "/"}`;
      if (here) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    leave();
    leave = () => {};
    try {
      const [page, found] = match(path);
      const left = await page.open(root, ...found);
      if (number === opened) leave = left;
      else left();
      if (number === opened && opened > 1) root.focus({ preventScroll: true });
      window.scrollTo(0, 0);
    } catch (error) {
      if (number === opened) root.replaceChildren(sorry(error));
    }
  };
  window.addEventListener("hashchange", () => void open());
  void open();
}

/** @param {string} path @returns {[import("./pages.js").Page, string[]]} */
function match(path) {
  for (const page of PAGES) {
    const found = page.path.exec(path);
    if (found) return [page, found.slice(1)];
  }
  throw new Error("There is no such page.");
}

/** @param {unknown} error */
function sorry(error) {
  const text = error instanceof Error ? error.message : String(error);
  return h("section", { class: "card sorry" }, h("h1", {}, "Not here"), h("p", { role: "alert" }, text), h("a", { class: "button primary", href: "#/" }, "To the first page"));
}
