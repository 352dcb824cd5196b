// Makes every element of class "neighbourhood" live: the Vega view replaces the static picture.
//
// element.glassrank.point(i)   show the links of page i; −1 for none
// element.glassrank.view       the Vega view
// The element dispatches "glassrank:ready" once it is live.

const REACH = 18;   // maximum distance in pixels between the pointer and the page that it selects
const INVITATION = "Point at a page to see its links, or move through the pages with Tab and the arrow keys. Click or press Enter to keep a page selected, Escape to release it. " +
  "Solid lines are links from the page, dashed lines are links to it.";

const make = (tag, attributes = {}, ...children) => {
  const element = Object.assign(document.createElement(tag), attributes);
  element.append(...children);
  return element;
};

async function start(host) {
  const specification = JSON.parse(host.querySelector('script[type="application/json"]').textContent);
  const stage = make("div");
  stage.dataset.live = "";
  const options = { mode: "vega", renderer: "svg", actions: false, ast: true };
  const { view } = await vegaEmbed(stage, specification, options);
  host.querySelector("figure").replaceChildren(stage);
  const figure = new LiveNeighbourhood(host, stage, view);
  host.glassrank = { view, point: i => figure.point(i) };
  host.dispatchEvent(new CustomEvent("glassrank:ready", { bubbles: true }));
}

class LiveNeighbourhood {
  constructor(host, stage, view) {
    Object.assign(this, { host, stage, view, focus: -1, kept: -1 });
    this.pages = [...view.data("pages")].sort((one, other) => one.rank - other.rank);
    this.byNumber = new Map(this.pages.map(page => [page.i, page]));
    this.current = this.pages[0].i;   // the one page that Tab reaches
    this.facts = host.querySelector(".page-facts");
    this.controls();
    this.list();
    stage.addEventListener("pointermove", event => this.point(this.under(event)));
    stage.addEventListener("pointerleave", () => this.point(-1));
    stage.addEventListener("click", event => this.keep(this.under(event)));
    stage.addEventListener("focusin", event => this.focused(event.target));
    stage.addEventListener("focusout", () => this.point(-1));
    stage.addEventListener("keydown", event => this.pressed(event));
    host.addEventListener("keydown", event => event.key === "Escape" && this.keep(-1));
    this.updateNodes();
    this.describe();
  }

  controls() {
    this.search = make("input", { type: "search", autocomplete: "off", oninput: () => this.find() });
    this.found = make("span", { role: "status" });
    const box = this.host.querySelector(".controls");
    box.append(make("label", {}, "Find a page ", this.search), this.found);
    const count = this.pages.filter(page => page.role === "pruned").length;
    if (!count) return;
    this.toggle = make("input", { type: "checkbox", checked: true, autocomplete: "off", onchange: () => this.find() });
    box.append(make("label", {}, this.toggle, ` Show the ${count} pruned ${count === 1 ? "page" : "pages"}`));
  }

  // The rows of the list are in the order of the pages: each gets a button that selects its page.
  list() {
    this.rows = [...this.host.querySelectorAll(".list tbody tr")];
    this.rows.forEach((row, place) => {
      const { i } = this.pages[place], cell = row.cells[0];
      const button = make("button", { type: "button", textContent: cell.textContent, onclick: () => this.keep(i) });
      button.addEventListener("focus", () => this.point(i));
      button.addEventListener("blur", () => this.point(-1));
      row.addEventListener("pointerenter", () => this.point(i));
      row.addEventListener("pointerleave", () => this.point(-1));
      cell.replaceChildren(button);
    });
  }

  shown() {
    return this.pages.filter(page => page.role !== "pruned" || !this.toggle || this.toggle.checked);
  }

  node(i) {
    return [...this.stage.querySelectorAll(".nodes path")].find(element => element.__data__.datum.i === i);
  }

  under(event) {
    const svg = this.stage.querySelector("svg"), box = svg.getBoundingClientRect();
    const zoom = svg.viewBox.baseVal.width / box.width;
    const [x, y] = [(event.clientX - box.left) * zoom, (event.clientY - box.top) * zoom];
    let nearest = -1, shortest = REACH;
    for (const page of this.shown()) {
      // The label of a page in a column belongs to it.
      const [from, to] = [page.from ?? page.x, page.to ?? page.x];
      const away = Math.hypot(x - Math.min(to, Math.max(from, x)), page.y - y);
      if (away < shortest) [nearest, shortest] = [page.i, away];
    }
    return nearest;
  }

  // When the pointer leaves a page, the kept page is shown again.
  async point(i) {
    const focus = i >= 0 ? i : this.kept;
    if (focus === this.focus) return;
    this.focus = focus;
    await this.view.signal("focus", focus).runAsync();
    this.describe();
  }

  keep(i) {
    this.kept = i === this.kept ? -1 : i;
    this.updateNodes();
    this.focus = null;
    return this.point(i);
  }

  focused(element) {
    const page = element.__data__?.datum;
    if (page?.rank === undefined) return;
    this.current = page.i;
    this.updateNodes();
    this.point(page.i);
  }

  pressed(event) {
    const page = event.target.__data__?.datum;
    if (page?.rank === undefined) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.keep(page.i);
      return;
    }
    const pages = this.shown(), place = pages.findIndex(other => other.i === page.i), last = pages.length - 1;
    const next = { ArrowRight: place + 1, ArrowDown: place + 1, ArrowLeft: place - 1, ArrowUp: place - 1, Home: 0, End: last }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    const goal = pages[Math.min(last, Math.max(0, next))].i;
    this.current = goal;
    this.updateNodes();
    this.node(goal).focus();
  }

  // Tab reaches one page, and the arrow keys move from there to the others.
  updateNodes() {
    for (const element of this.stage.querySelectorAll(".nodes path")) {
      const { i } = element.__data__.datum;
      element.setAttribute("tabindex", i === this.current ? 0 : -1);
      element.setAttribute("aria-pressed", i === this.kept);
    }
  }

  async find() {
    const wanted = this.search.value.trim().toLowerCase();
    await this.view.signal("wanted", wanted).signal("show_pruned", this.toggle?.checked ?? true).runAsync();
    const shown = new Set(this.shown().map(page => page.i));
    if (!shown.has(this.current)) this.current = this.pages[0].i;
    if (!shown.has(this.kept) && this.kept >= 0) this.keep(-1);
    let count = 0;
    this.rows.forEach((row, place) => {
      const page = this.pages[place];
      const fits = shown.has(page.i) && `${page.title} ${page.url}`.toLowerCase().includes(wanted);
      row.hidden = !fits;
      count += fits;
    });
    this.found.textContent = wanted ? `${count} of ${shown.size} pages` : "";
    this.updateNodes();
  }

  describe() {
    const page = this.byNumber.get(this.focus);
    this.rows.forEach((row, place) => row.classList.toggle("lit", this.pages[place].i === this.focus));
    if (!page) {
      this.facts.replaceChildren(INVITATION);
      return;
    }
    const facts = page.says.slice(page.title.length);
    this.facts.replaceChildren(make("strong", { textContent: page.title }), `${facts}.`, make("br"), this.address(page.url));
  }

  // Only web addresses become links: others would lead nowhere, or run as a script.
  address(url) {
    if (!/^https?:\/\//i.test(url)) return url;
    return make("a", { href: url, rel: "noreferrer", textContent: url });
  }
}

for (const host of document.querySelectorAll(".neighbourhood")) start(host);
