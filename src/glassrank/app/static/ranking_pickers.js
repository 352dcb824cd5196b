// Fields with a list: typing finds queries or documents; arrows, Enter and Escape choose and close.
import { fetchJson, make, number } from "./app.js";

const MOST = 50;

export function startPickers(page) {
  const { data } = page;
  const query = document.getElementById("query");
  if (query) new Picker(query, ["Query", "Documents", "Value"], (text) => queries(page, text), (row) => {
    page.visit(page.address({ q: row.key, a: null, b: null, set: [], from: null }));
  }, "query");
  for (const letter of ["a", "b"]) {
    const field = document.getElementById(`choose-${letter}`), other = data[letter === "a" ? "b" : "a"];
    if (field) new Picker(field, ["Document", "Rank", "Score", "Judged"], (text) => documents(data, text, other, letter), (row) => {
      page.choose(letter, row.key);
    }, "document");
  }
}

async function queries(page, text) {
  const asked = page.address({});
  asked.searchParams.set("find", text);
  const found = await fetchJson(`/api/studies/${encodeURIComponent(page.data.study)}/queries${asked.search}`);
  const rows = found.queries.map((one) => ({ key: one.name, cells: [one.name, one.n_documents, number(one.value, 3)] }));
  return { rows, total: found.total, heads: ["Query", "Documents", found.measure.toUpperCase()] };
}

async function documents(data, text, other, letter) {
  const wanted = text.trim().toLowerCase();
  const found = data.documents.map((one, place) => ({ ...one, place })).filter((one) => one.name.toLowerCase().includes(wanted));
  found.sort((one, two) => one.rank - two.rank);
  const rows = found.slice(0, MOST).map((one) => {
    const taken = one.place === other;
    const name = taken ? `${one.name} (is ${letter === "a" ? "B" : "A"})` : one.name;
    return { key: one.place, off: taken, cells: [name, one.rank, data.scores ? number(one.score, 2, true) : "–", one.label] };
  });
  return { rows, total: found.length };
}

class Picker {
  constructor(field, heads, load, pick, what) {
    Object.assign(this, { field, heads, load, pick, what, list: null, at: -1, rows: [], before: field.value });
    const attributes = { role: "combobox", "aria-expanded": "false", "aria-autocomplete": "list", "aria-controls": `${field.id}-list` };
    for (const [key, value] of Object.entries(attributes)) field.setAttribute(key, value);
    // The list exists from the start, so that the field can refer to it.
    this.list = make("div", { class: "picker", hidden: true },
      make("div", { class: "heads", "aria-hidden": "true" }), make("ul", { role: "listbox", id: `${field.id}-list`, "aria-label": heads[0] }), make("p", { class: "hint" }));
    field.parentElement.append(this.list);
    field.addEventListener("click", () => this.open(""));
    field.addEventListener("input", () => this.open(field.value));
    field.addEventListener("keydown", (event) => this.press(event));
    field.addEventListener("blur", () => setTimeout(() => this.close(), 150));
  }

  async open(text) {
    if (text === "" && this.list.hidden) this.field.select();
    this.asked = text;
    const found = await this.load(text);
    if (this.asked !== text || !this.field.isConnected) return;
    this.rows = found.rows;
    const [heads, list, more] = this.list.children;
    heads.replaceChildren(...(found.heads ?? this.heads).map((one) => make("span", {}, one)));
    list.replaceChildren(...this.rows.map((row, i) => this.option(row, i)));
    const left = found.total - this.rows.length;
    more.replaceChildren(found.total === 0 ? `No ${this.what} contains “${text}”. ` : left > 0 ? `${left.toLocaleString("en")} more, type on` : "");
    if (found.total === 0) more.append(make("button", { type: "button", class: "link", onmousedown: (event) => this.clear(event) }, "Clear"));
    this.list.hidden = false;
    this.field.setAttribute("aria-expanded", "true");
    this.mark(text === "" ? -1 : 0);
  }

  option(row, i) {
    const cells = row.cells.map((cell) => make("span", {}, String(cell)));
    return make("li", { role: "option", id: `${this.field.id}-${i}`, "aria-selected": "false", "aria-disabled": row.off ? "true" : null,
      onmousedown: (event) => { event.preventDefault(); this.take(i); } }, ...cells);
  }

  clear(event) {
    event.preventDefault();
    this.field.value = "";
    this.open("");
  }

  mark(i) {
    const options = this.list.querySelectorAll("[role=option]");
    options.forEach((one, place) => one.setAttribute("aria-selected", String(place === i)));
    this.at = i;
    if (i >= 0 && options[i]) {
      this.field.setAttribute("aria-activedescendant", options[i].id);
      options[i].scrollIntoView({ block: "nearest" });
    } else this.field.removeAttribute("aria-activedescendant");
  }

  press(event) {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (this.list.hidden) return this.open("");
      const last = this.rows.length - 1, way = event.key === "ArrowDown" ? 1 : -1;
      return this.mark(Math.max(0, Math.min(last, this.at + way)));
    }
    if (event.key === "Escape" && !this.list.hidden) {
      event.stopPropagation();
      return this.close();
    }
    if (event.key === "Enter" && !this.list.hidden && this.rows.length) {
      event.preventDefault();
      this.take(Math.max(0, this.at));
    }
  }

  take(i) {
    const row = this.rows[i];
    if (row === undefined || row.off) return;
    this.before = row.cells[0];
    this.close();
    this.field.focus();
    this.pick(row);
  }

  close() {
    if (this.list.hidden) return;
    this.list.hidden = true;
    this.asked = null;
    this.field.value = this.before;
    this.field.setAttribute("aria-expanded", "false");
    this.field.removeAttribute("aria-activedescendant");
  }
}
