// What every page has: the theme, "Go to …", the list of keys, and requests that carry the page's token.

export const token = document.querySelector("meta[name=token]").content;

// The plain values that the server put into the page.
export function pageData() {
  const element = document.getElementById("page-data");
  return element === null ? null : JSON.parse(element.textContent);
}

// Fetch JSON; an answer other than 2xx becomes an error with the server's own message.
export async function fetchJson(address, options = {}) {
  const answer = await fetch(address, { ...options, headers: { "x-glassrank-token": token, ...options.headers } });
  const content = await answer.json();
  if (!answer.ok) throw new Error(content.detail ?? answer.statusText);
  return content;
}

// An address, by default that of the page, with other parameters: an object of key to value or values, null to remove one.
export function withParameters(changes, base = location.href) {
  const address = new URL(base, location.href);
  for (const [key, value] of Object.entries(changes)) {
    address.searchParams.delete(key);
    for (const one of Array.isArray(value) ? value : value === null ? [] : [value]) address.searchParams.append(key, one);
  }
  return address;
}

const MINUS = "−";

// A number as the reports write it: with a real minus sign, and with its sign if asked for, unless it is 0.
export function number(value, digits = 2, signed = false) {
  if (value === null || Number.isNaN(value)) return "–";
  const text = Math.abs(value).toFixed(digits);
  const sign = value < 0 ? MINUS : signed ? "+" : "";
  return (Number(text) === 0 ? "" : sign) + text;
}

// An element with attributes and children; text never becomes HTML.
export function make(name, attributes = {}, ...children) {
  const svg = ["svg", "g", "path", "line", "rect", "circle", "text", "title", "polygon", "polyline"].includes(name);
  const element = svg ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

// Single letters are keys of the page, except while somebody types.
const keys = new Map();
export function onKey(key, meaning, action) {
  keys.set(key, { meaning, action });
}

const lettersOff = () => localStorage.getItem("glassrank-keys") === "off";
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (event.target.closest("input, select, textarea, [contenteditable], [role=slider]")) return;
  const name = event.shiftKey && event.key.length === 1 && event.key !== "?" ? `Shift ${event.key.toUpperCase()}` : event.key;
  const found = keys.get(name) ?? keys.get(name.toUpperCase());
  if (found === undefined || (lettersOff() && event.key.length === 1 && event.key !== "?")) return;
  event.preventDefault();
  found.action(event);
});

// A list over the page, opened by a key or a button; Escape closes it and returns the focus.
export function overlay(label, ...children) {
  const before = document.activeElement;
  const close = () => {
    dialog.remove();
    before?.focus();
  };
  const dialog = make("dialog", { class: "overlay", "aria-label": label }, ...children);
  dialog.addEventListener("close", close);
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

function showKeys() {
  const rows = [...keys].map(([key, { meaning }]) => make("tr", {}, make("td", {}, make("kbd", {}, key)), make("td", {}, meaning)));
  const off = make("input", { type: "checkbox", id: "letters-off" });
  off.checked = lettersOff();
  off.addEventListener("change", () => localStorage.setItem("glassrank-keys", off.checked ? "off" : "on"));
  overlay("Keys", make("h2", {}, "Keys"), make("table", {}, make("tbody", {}, ...rows)),
    make("p", {}, off, make("label", { for: "letters-off" }, " Switch single letters off")));
}

// Pages add what else can be gone to: a function from a text to a promise of [name, address] pairs.
const offers = [];
export function offerTargets(find) {
  offers.push(find);
}

async function goTo() {
  const field = make("input", { type: "text", "aria-label": "Go to a study, query or page", placeholder: "Study or page", autocomplete: "off" });
  const list = make("ul", { class: "targets" });
  const dialog = overlay("Go to", field, list);
  const studies = await fetchJson("/api/studies");
  const own = [...document.querySelectorAll("nav.pages a")].map((link) => [link.textContent, link.href]);
  const finished = studies.filter((one) => one.state === "finished").map((one) => [one.title, `/s/${encodeURIComponent(one.name)}/ranking`]);
  const targets = [...own, ...finished, ["All studies", "/"], ["New study", "/new"]];
  const show = async () => {
    const wanted = field.value.trim().toLowerCase();
    const more = wanted === "" ? [] : (await Promise.all(offers.map((find) => find(wanted)))).flat();
    if (field.value.trim().toLowerCase() !== wanted) return;
    const found = [...targets.filter(([name]) => name.toLowerCase().includes(wanted)), ...more].slice(0, 50);
    list.replaceChildren(...found.map(([name, address]) => make("li", {}, make("a", { href: address }, name))));
    if (found.length === 0) list.append(make("li", {}, `Nothing contains “${field.value}”.`));
  };
  field.addEventListener("input", show);
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter") list.querySelector("a")?.click();
    if (event.key === "ArrowDown") list.querySelector("a")?.focus();
  });
  list.addEventListener("keydown", (event) => {
    const row = event.target.closest("li");
    const next = event.key === "ArrowDown" ? row.nextElementSibling : event.key === "ArrowUp" ? row.previousElementSibling : null;
    if (next !== null) event.preventDefault(), next.querySelector("a")?.focus();
  });
  show();
  field.focus();
}

const themeButton = document.getElementById("theme");
themeButton.hidden = false;
themeButton.addEventListener("click", () => {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  localStorage.setItem("glassrank-theme", root.dataset.theme);
});
const goToButton = document.getElementById("go-to");
goToButton.hidden = false;
goToButton.addEventListener("click", goTo);
onKey("/", "go to a study or page", goTo);
onKey("?", "show this list", showKeys);
