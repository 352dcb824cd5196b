// A combobox: type to find a query by its text; arrow keys, Enter and Escape; only the first matches become elements.

const MOST_MATCHES = 50;

class QuerySearch {
  constructor(input, box, choose) {
    Object.assign(this, { input, box, choose, entries: [], lower: [], matches: [], active: -1, chosen: -1 });
    this.list = box.querySelector("ul");
    this.status = box.querySelector("p");
    input.addEventListener("focus", () => input.select());
    input.addEventListener("input", () => this.open(input.value));
    input.addEventListener("click", () => this.box.hidden && this.open(""));
    input.addEventListener("keydown", event => this.pressed(event));
    input.addEventListener("blur", () => this.close());
    // A press on the list must not take the focus from the input, which would close the list.
    box.addEventListener("pointerdown", event => event.preventDefault());
    box.addEventListener("mousedown", event => event.preventDefault());
    this.list.addEventListener("click", event => {
      const option = event.target.closest("li");
      if (option) this.take(Number(option.dataset.place));
    });
  }

  offer(entries, measure) {
    Object.assign(this, { entries, measure, lower: entries.map(([name]) => name.toLowerCase()) });
  }

  set(place, name) {
    this.chosen = place;
    this.input.value = name;
    this.input.title = name;
    this.name = name;
  }

  open(text) {
    const wanted = text.trim().toLowerCase();
    this.matches = [];
    this.lower.forEach((name, place) => name.includes(wanted) && this.matches.push(place));
    // Without a text, the list begins at the chosen query.
    const first = wanted ? 0 : Math.max(0, Math.min(this.matches.indexOf(this.chosen), this.matches.length - MOST_MATCHES));
    this.shown = this.matches.slice(first, first + MOST_MATCHES);
    this.list.replaceChildren(...this.shown.map(place => this.option(place)));
    const all = this.entries.length.toLocaleString("en"), found = this.matches.length.toLocaleString("en");
    const cut = this.matches.length > this.shown.length ? ` The list shows ${this.shown.length}.` : "";
    this.status.textContent = wanted ? `${found} of ${all} match “${text.trim()}”.${cut}` : `${all} queries.${cut}`;
    this.box.hidden = false;
    this.input.setAttribute("aria-expanded", "true");
    this.activate(wanted ? (this.shown.length ? 0 : -1) : this.shown.indexOf(this.chosen));
  }

  option(place) {
    const [name, documents, value] = this.entries[place];
    const option = document.createElement("li");
    const words = [name, `${documents.toLocaleString("en")} documents${value === null ? "" : `, ${this.measure} ${value.toFixed(3)}`}`];
    option.append(...words.map(text => Object.assign(document.createElement("span"), { textContent: text, dir: "auto" })));
    option.title = name;
    option.id = `picker-match-${place}`;
    option.dataset.place = place;
    option.setAttribute("role", "option");
    return option;
  }

  activate(row) {
    this.active = row;
    [...this.list.children].forEach((option, at) => option.setAttribute("aria-selected", String(at === row)));
    const option = this.list.children[row];
    if (option) {
      this.input.setAttribute("aria-activedescendant", option.id);
      option.scrollIntoView({ block: "nearest" });
    } else {
      this.input.removeAttribute("aria-activedescendant");
    }
  }

  pressed(event) {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      if (this.box.hidden) this.open("");
      const last = this.shown.length - 1;
      if (last >= 0) this.activate(Math.max(0, Math.min(last, this.active + step)));
    } else if (event.key === "Enter" && !this.box.hidden) {
      event.preventDefault();
      if (this.active >= 0) this.take(this.shown[this.active]);
    } else if (event.key === "Escape" && !this.box.hidden) {
      event.preventDefault();
      this.close();
      this.input.select();
    }
  }

  take(place) {
    this.set(place, this.entries[place][0]);
    this.close();
    this.choose(place);
  }

  close() {
    this.box.hidden = true;
    this.input.setAttribute("aria-expanded", "false");
    this.input.removeAttribute("aria-activedescendant");
    this.input.value = this.name;
  }
}
