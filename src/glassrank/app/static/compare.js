// The Compare page with a mouse and keys: another model at once, dots by arrows, dragging over dots, J and K.

import { onKey, withParameters } from "./app.js";

const models = document.getElementById("models");
models.querySelector("select").addEventListener("change", () => models.submit());

for (const [key, rel, meaning] of [["J", "next", "next query, less hurt"], ["K", "prev", "previous query, more hurt"]]) {
  onKey(key, meaning, () => document.querySelector(`a[rel=${rel}]`)?.click());
}

// Shift-click on a line makes its document B instead of A.
for (const line of document.querySelectorAll("svg.slopes a")) {
  line.addEventListener("click", (event) => {
    if (!event.shiftKey) return;
    event.preventDefault();
    location.assign(line.dataset.b);
  });
}

const plot = document.querySelector("svg.dots");
if (plot !== null) {
  const dots = [...plot.querySelectorAll("a")];
  if (!dots.some((dot) => dot.tabIndex === 0)) dots[0]?.setAttribute("tabindex", "0");
  plot.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: 1, ArrowDown: -1 }[event.key];
    const now = dots.indexOf(event.target.closest("a"));
    if (step === undefined || now < 0) return;
    event.preventDefault();
    const next = dots[Math.min(dots.length - 1, Math.max(0, now + step))];
    dots[now].setAttribute("tabindex", "-1");
    next.setAttribute("tabindex", "0");
    next.focus();
  });
  brush(plot);
}

// Dragging over dots lists their queries.
function brush(plot) {
  const band = plot.querySelector("rect.brush");
  const at = (event) => ((event.clientX - plot.getBoundingClientRect().left) / plot.getBoundingClientRect().width) * plot.viewBox.baseVal.width;
  const change = (x) => (x - Number(plot.dataset.zero)) / Number(plot.dataset.unit);
  let start = null;
  plot.addEventListener("pointerdown", (event) => {
    if (event.button === 0) start = at(event);
  });
  plot.addEventListener("dragstart", (event) => event.preventDefault());
  addEventListener("pointermove", (event) => {
    if (start === null) return;
    band.setAttribute("x", Math.min(start, at(event)));
    band.setAttribute("width", Math.abs(at(event) - start));
  });
  addEventListener("pointerup", (event) => {
    const [from, to] = [start, start === null ? null : at(event)];
    start = null;
    band.setAttribute("width", 0);
    if (from === null || Math.abs(to - from) < 6) return;
    const ends = [from, to].map(change).sort((one, other) => one - other);
    plot.addEventListener("click", (click) => click.preventDefault(), { capture: true, once: true });
    location.assign(withParameters({ low: ends[0].toFixed(4), high: ends[1].toFixed(4), all: null }));
  });
}
