// Steps through the replays of the page. It knows nothing about any game: a frame is a list of texts to put together.
"use strict";

for (const details of document.querySelectorAll("details.game")) {
  const figure = details.querySelector("figure");
  const find = (selector) => figure.querySelector(selector);
  const board = find(".noctagon-board"), slider = find("input"), says = find(".says"), now = find(".lead .now");
  const play = find(".play");
  let film = null, at = 0, timer = null;

  const show = (index) => {
    film ??= JSON.parse(find("script").textContent);
    at = Math.max(0, Math.min(film.frames.length - 1, index));
    const frame = film.frames[at];
    board.innerHTML = frame.e.map((number) => film.elements[number]).join("");
    board.setAttribute("aria-label", frame.s);
    says.textContent = frame.s;
    slider.value = at;
    const x = 1000 * frame.p / Math.max(1, film.plies);
    now.setAttribute("x1", x);
    now.setAttribute("x2", x);
  };
  const pause = () => {
    clearInterval(timer);
    timer = null;
    play.textContent = "▶\ufe0e Play";
  };
  const step = (by) => { pause(); show(at + by); };
  const toggle = () => {
    if (timer !== null) return pause();
    if (at >= Number(slider.max)) show(0);
    play.textContent = "II Pause";
    timer = setInterval(() => {
      show(at + 1);
      if (at >= Number(slider.max)) pause();
    }, 700);
  };

  slider.addEventListener("input", () => { pause(); show(Number(slider.value)); });
  find(".start").addEventListener("click", () => step(-Infinity));
  find(".back").addEventListener("click", () => step(-1));
  find(".next").addEventListener("click", () => step(1));
  find(".end").addEventListener("click", () => step(Infinity));
  play.addEventListener("click", toggle);
  find(".large").addEventListener("click", () => {
    if (document.fullscreenElement) document.exitFullscreen();
    else figure.requestFullscreen?.();
  });
  details.addEventListener("toggle", () => { if (!details.open) pause(); });
  figure.addEventListener("keydown", (event) => {
    const steps = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity };
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key in steps) step(steps[event.key]);
    else if (event.key === " " && event.target.tagName !== "BUTTON") toggle();
    else return;
    event.preventDefault();
  });
}
