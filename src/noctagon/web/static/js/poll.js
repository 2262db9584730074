// @ts-check
// Regular requests for something that changes now and then; the server sends it only if it has changed (ETag).

/** A hidden page makes no requests; one that comes back makes one at once. */
export class Poll {
  /**
   * @param {() => string} path below the API's address, called for each request
   * @param {number} wait milliseconds between an answer and the next question
   * @param {(answer: any) => void} receive what has changed
   * @param {(problem: string, status: number) => void} trouble with an empty problem once it is over
   */
  constructor(path, wait, receive, trouble) {
    this.path = path;
    this.wait = wait;
    this.receive = receive;
    this.trouble = trouble;
    this.tag = "";
    this.tagged = "";
    this.timer = 0;
    this.closed = false;
    this.asking = false;
    this.failed = false;
    this.look = () => {
      if (!document.hidden) void this.ask();
    };
    document.addEventListener("visibilitychange", this.look);
  }

  /** @returns {Promise<void>} when there was an answer */
  async ask() {
    if (this.closed || this.asking) return;
    clearTimeout(this.timer);
    this.asking = true;
    try {
      await this.once();
    } finally {
      this.asking = false;
      if (!this.closed && !document.hidden) this.timer = window.setTimeout(() => void this.ask(), this.wait);
    }
  }

  async once() {
    const path = this.path();
    /** @type {Response} */
    let response;
    try {
      response = await fetch(`/api/v1${path}`, {
        headers: this.tag && this.tagged === path ? { "if-none-match": this.tag } : {},
        cache: "no-store",
      });
    } catch {
      this.tell("The server does not answer; trying again.", 0);
      return;
    }
    if (this.closed) return;
    if (response.status === 304) {
      this.tell("", 304);
      return;
    }
    const answer = await response.json().catch(() => null);
    if (this.closed) return;
    if (!response.ok) {
      this.tell(answer?.error ?? `The server answered ${response.status}.`, response.status);
      return;
    }
    this.tag = response.headers.get("etag") ?? "";
    this.tagged = path;
    this.tell("", 200);
    this.receive(answer);
  }

  /** @param {string} problem @param {number} status */
  tell(problem, status) {
    if (problem || this.failed) this.trouble(problem, status);
    this.failed = problem !== "";
  }

  close() {
    this.closed = true;
    clearTimeout(this.timer);
    document.removeEventListener("visibilitychange", this.look);
  }
}
