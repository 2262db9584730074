// @ts-check
// The start of the page.
import { notice, preparation } from "./preparing.js";
import { route } from "./router.js";
import { bindToggle } from "./theme.js";

const find = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));

// The link's token has become a cookie: it need not stay readable in the address bar.
if (location.search) window.history.replaceState(null, "", location.pathname + location.hash);

bindToggle(find("theme"));
find("skip").addEventListener("click", (event) => {
  event.preventDefault(); // an address behind # is a page here
  find("page").focus();
});
document.body.append(notice.element);
void preparation.follow();
route(find("page"), find("links"));
