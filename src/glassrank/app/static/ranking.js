// The Ranking page: links and forms load without a jump, rows and keys choose documents, steps can be undone.
import { fetchJson, make, offerTargets, onKey, pageData, withParameters } from "./app.js";
import { startDots } from "./ranking_dots.js";
import { startPickers } from "./ranking_pickers.js";
import { openField } from "./ranking_field.js";

const GLIDE = 160, PATIENCE = 200; // milliseconds
const calm = matchMedia("(prefers-reduced-motion: reduce)");
const main = document.getElementById("content");
const spoken = make("p", { class: "unseen", role: "status" });
document.body.append(spoken);
document.documentElement.classList.add("scripted");

let undone = []; // steps that Redo would take again, the last one first
let visits = 0; // only the last one is shown
let page = null; // what is shown now: the data of the page and what a script can do with it

// The address that is shown with other parameters; null removes one.
const address = (changes) => withParameters(changes, page.data.link);

const steps = () => new URL(page.data.link, location.href).searchParams.getAll("set");
const escaped = (part) => part.replaceAll("%", "%25").replaceAll(":", "%3A");
const step = (place, k, value) => [page.data.documents[place].name, page.data.features[k].name, value].map(escaped).join(":");

// Replace the content by that of another address of this page, and let the rows glide to their places.
async function visit(target, { push = true } = {}) {
  const wanted = new URL(target, location.href), own = ++visits, old = page.data.link;
  // The next step starts from here, even if the answer is still on its way.
  page.data.link = wanted.pathname + wanted.search;
  const waiting = setTimeout(() => {
    main.classList.add("loading");
    spoken.textContent = "Loading the list";
  }, PATIENCE);
  let answer;
  try {
    answer = await fetch(wanted);
  } finally {
    clearTimeout(waiting);
    main.classList.remove("loading");
  }
  if (!answer.ok) return location.assign(wanted);
  const content = await answer.text();
  if (own !== visits) return;
  const next = new DOMParser().parseFromString(content, "text/html");
  if (!next.getElementById("page-data")) return location.assign(wanted); // its model is being trained
  const before = rowPlaces(), focused = document.activeElement?.id, left = new URL(old, location.href).searchParams;
  const moved = wanted.searchParams.get("q") !== left.get("q");
  const put = left.has("set") && !wanted.searchParams.has("set") && moved;
  if (moved) undone = []; // they change documents of the query that was left
  document.getElementById("page-data").replaceWith(next.getElementById("page-data"));
  main.replaceChildren(...next.getElementById("content").childNodes);
  document.title = next.title;
  if (push) history.pushState(null, "", wanted);
  start();
  if (put) showPutAside(old);
  glide(before);
  if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
  spoken.textContent = document.getElementById("what-if-said").textContent;
}

function rowPlaces() {
  return new Map([...main.querySelectorAll(".document")].map((row) => [row.id, row.getBoundingClientRect().top]));
}

function glide(before) {
  if (calm.matches) return;
  for (const row of main.querySelectorAll(".document")) {
    const moved = (before.get(row.id) ?? NaN) - row.getBoundingClientRect().top;
    if (Math.abs(moved) >= 1) row.animate([{ transform: `translateY(${moved}px)` }, { transform: "none" }], GLIDE);
  }
}

function showPutAside(link) {
  const changed = new Set(new URL(link, location.href).searchParams.getAll("set").map((one) => one.split(":")[0]));
  const words = `Changes to ${changed.size} ${changed.size === 1 ? "document" : "documents"} were put aside. `;
  document.getElementById("what-if").prepend(make("p", { class: "put-aside" }, words, make("a", { href: link }, "Undo")));
}

// Choose a document; the other letter keeps its document, and the two are swapped if it is the same.
function choose(letter, place) {
  const { a, b, documents } = page.data;
  const other = letter === "a" ? b : a;
  if (place === (letter === "a" ? a : b) || documents.length < 2) return;
  const changes = { [letter]: documents[place].name };
  if (place === other) changes[letter === "a" ? "b" : "a"] = documents[letter === "a" ? a : b].name;
  visit(address(changes));
}

function change(place, k, value) {
  undone = [];
  return visit(address({ set: [...steps(), step(place, k, value)] }));
}

function undo() {
  const taken = steps();
  if (taken.length === 0) return;
  undone.unshift(taken.pop());
  visit(address({ set: taken }));
}

function redo() {
  if (undone.length === 0) return;
  visit(address({ set: [...steps(), undone.shift()] }));
}

function reset() {
  if (steps().length === 0) return;
  undone = [];
  visit(address({ set: [] }));
}

async function copyLink(button) {
  await navigator.clipboard.writeText(new URL(page.data.link, location.href).href);
  button.textContent = "Copied";
}

const focusedRow = () => document.activeElement?.closest(".document") ?? main.querySelector(".document:hover");
const placeOf = (row) => Number(row.dataset.document);

function edit(cell) {
  const row = cell?.closest(".document");
  if (row && page.data.scores && cell.dataset.k !== undefined) openField(page, cell, placeOf(row));
}

// Arrows move between rows and, inside a row, between its cells.
function moveFocus(event) {
  const row = event.target.closest(".document");
  if (row === null) return;
  const cells = [...row.querySelectorAll(".bar[data-k]")], at = cells.indexOf(event.target);
  const beside = { ArrowDown: row.nextElementSibling, ArrowUp: row.previousElementSibling }[event.key];
  const inside = { ArrowRight: cells[at + 1], ArrowLeft: at > 0 ? cells[at - 1] : row }[event.key];
  const next = beside?.classList.contains("document") ? (at < 0 ? beside : beside.querySelectorAll(".bar[data-k]")[at]) : inside;
  if (!event.key.startsWith("Arrow") || event.altKey || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  if (!next) return;
  main.querySelector('.document[tabindex="0"]')?.setAttribute("tabindex", "-1");
  next.closest(".document").setAttribute("tabindex", "0");
  next.focus();
}

function start() {
  const data = pageData();
  page = { data, address, steps, step, change, choose, visit };
  for (const button of main.querySelectorAll("form.submits button")) button.hidden = true;
  const copy = document.getElementById("copy"), again = document.getElementById("redo");
  if (copy) copy.hidden = false;
  if (again) again.hidden = undone.length === 0;
  // The Compare page opens with the same query and documents.
  const compare = document.querySelector('nav.pages a[href*="/compare"]'), shown = new URL(data.link, location.href).searchParams;
  if (compare) compare.search = new URLSearchParams(["q", "a", "b"].filter((key) => shown.has(key)).map((key) => [key, shown.get(key)]));
  startPickers(page);
  startDots(page);
}

main.addEventListener("click", (event) => {
  if (event.ctrlKey || event.metaKey || event.button !== 0 || event.target.closest(".value-field")) return;
  const row = event.target.closest(".document"), cell = event.target.closest(".bar[data-k]");
  const link = event.target.closest("a[href]"), pressed = event.target.closest("button")?.id;
  if (pressed === "redo") return redo();
  if (pressed === "copy") return copyLink(event.target.closest("button"));
  if (cell && page.data.scores) return edit(cell);
  if (row) {
    event.preventDefault();
    return choose(event.shiftKey ? "b" : "a", placeOf(row));
  }
  if (link?.id === "undo") {
    event.preventDefault();
    return undo();
  }
  if (link && new URL(link.href).pathname === location.pathname && !event.shiftKey) {
    event.preventDefault();
    visit(link.href);
  }
});
main.addEventListener("mousedown", (event) => event.shiftKey && event.target.closest(".document") && event.preventDefault());
main.addEventListener("submit", (event) => {
  event.preventDefault();
  const made = new URL(location.pathname, location.href);
  made.search = new URLSearchParams(new FormData(event.target));
  visit(made);
});
main.addEventListener("change", (event) => event.target.closest("form.submits")?.requestSubmit());
main.addEventListener("keydown", (event) => {
  if (event.target.closest("[role=grid]")) moveFocus(event);
});
addEventListener("popstate", () => visit(location.href, { push: false }));

// "Go to" finds queries, documents of this query, and features.
offerTargets(async (wanted) => {
  const { study, documents, features } = page.data, home = `/s/${encodeURIComponent(study)}`;
  const asked = address({ find: wanted }), has = (one) => one.name.toLowerCase().includes(wanted);
  const { queries } = await fetchJson(`/api/studies/${encodeURIComponent(study)}/queries${asked.search}`);
  return [
    ...queries.slice(0, 15).map(({ name }) => [`Query ${name}`, address({ q: name, a: null, b: null, set: [], from: null })]),
    ...documents.filter(has).slice(0, 15).map(({ name }) => [`Document ${name}`, address(documents[page.data.b]?.name === name ? { a: name, b: documents[page.data.a].name } : { a: name })]),
    ...features.filter(has).slice(0, 15).map(({ name }) => [`Feature ${name}`, `${home}/data?find=${encodeURIComponent(name)}`]),
  ];
});

const follow = (key) => () => main.querySelector(`a[data-key=${key}]`)?.click();
onKey("J", "next query", follow("J"));
onKey("K", "previous query", follow("K"));
onKey("↑ ↓", "in the list: another row", () => {});
onKey("← →", "in a row: another cell; on a dot: one step, with Shift ten", () => {});
onKey("A", "make the row A", () => focusedRow() && choose("a", placeOf(focusedRow())));
onKey("B", "make the row B", () => focusedRow() && choose("b", placeOf(focusedRow())));
onKey("X", "swap A and B", () => document.getElementById("swap")?.click());
const editFocused = () => edit(document.activeElement?.closest(".bar[data-k]") ?? focusedRow()?.querySelector(".bar[data-k]"));
onKey("E", "change the value of the cell (also Enter)", editFocused);
main.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !event.target.matches(".document, .bar[data-k]")) return;
  event.preventDefault();
  editFocused();
});
onKey("Z", "undo", undo);
onKey("Shift Z", "redo", redo);
onKey("0", "reset to the recorded values", reset);
start();
