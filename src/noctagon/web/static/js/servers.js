// @ts-check
// The course's screen: TCP servers that programs connect to, and their games live.
/** @import {Show} from "./pages.js" */
/** @import {ServerView} from "./messages" */
import { h, say } from "./element.js";
import { Poll } from "./poll.js";
import { ServerCard } from "./server_card.js";
import { ServerForm } from "./server_form.js";
import { sheet } from "./sheet.js";
import { games } from "./start.js";

const WAIT = 1000;

/** @param {Show} show @returns {Promise<() => void>} how to leave it */
export async function openServers(show) {
  const [known] = await Promise.all([games(), sheet("servers")]);
  const page = new ServersPage();
  const game = known.find((one) => one.name === "vampires");
  if (game) page.element.append(new ServerForm(game, () => void page.poll.ask()).element);
  show(page.element, "Servers");
  await page.poll.ask();
  return () => page.close();
}

class ServersPage {
  constructor() {
    /** @type {Map<string, ServerCard>} */
    this.cards = new Map();
    this.trouble = h("div", { class: "banner", role: "alert", hidden: true });
    this.list = h("div", { class: "server-list" });
    this.empty = h(
      "p",
      { class: "empty", hidden: true },
      "No server is open. Open one below, then start two bots with its address and port as their last arguments.",
    );
    this.element = h(
      "div",
      { class: "servers" },
      h(
        "div",
        {},
        h("h1", {}, "Servers"),
        h(
          "p",
          { class: "about" },
          "The course’s protocol: programs in any language connect by TCP, and are paired as they come. Every game is shown here, and kept where the page has a store.",
        ),
      ),
      this.trouble,
      this.empty,
      this.list,
    );
    this.poll = new Poll(
      () => "/servers",
      WAIT,
      (servers) => this.show(servers),
      (problem) => this.complain(problem),
    );
  }

  /** @param {ServerView[]} servers */
  show(servers) {
    this.empty.hidden = servers.length > 0;
    for (const server of servers) {
      const card = this.cards.get(server.id);
      if (card) card.update(server);
      else this.cards.set(server.id, new ServerCard(server, () => void this.poll.ask()));
    }
    for (const [id, card] of this.cards) {
      if (servers.some((server) => server.id === id)) continue;
      card.close();
      this.cards.delete(id);
    }
    const wanted = servers.flatMap(({ id }) => this.cards.get(id)?.element ?? []);
    if (wanted.some((element, at) => this.list.children[at] !== element)) this.list.append(...wanted);
  }

  /** @param {string} problem */
  complain(problem) {
    this.trouble.hidden = !problem;
    say(this.trouble, problem);
  }

  close() {
    this.poll.close();
    for (const card of this.cards.values()) card.close();
  }
}
