// Makes every element of class "nomogram" live: the Vega view replaces the static picture.
//
// element.glassrank.show(pair)   show another pair of documents, as Nomogram.pair_to_show returns it
// element.glassrank.set(doc, k, value)   move one dot: doc "A" or "B", k the feature's number from 0
// element.glassrank.reset()      restore the recorded values
// element.glassrank.view         the Vega view
// The element dispatches "glassrank:ready" once it is live, and "glassrank:change" whenever a value has changed.

const FINE_STEPS = 1, COARSE_STEPS = 10;

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
  view.signal("live", true);
  await view.runAsync();
  host.querySelector("figure").replaceChildren(stage);
  const figure = new LiveFigure(host, stage, view, specification.usermeta);
  host.glassrank = {
    view,
    show: pair => figure.show(pair),
    set: (doc, k, value) => figure.set(doc, k, value),
    reset: () => figure.reset(),
  };
  host.dispatchEvent(new CustomEvent("glassrank:ready", { bubbles: true }));
}

class LiveFigure {
  constructor(host, stage, view, words) {
    Object.assign(this, { host, stage, view, words });
    this.sentence = host.querySelector(".what-if");
    this.places = new Places(this);
    this.list = new FeatureList(this);
    this.levels = new LevelList(this);
    host.append(this.levels.element, this.list.element);
    stage.addEventListener("keydown", event => this.pressed(event));
    stage.addEventListener("click", event => this.opened(event.target));
    let waiting = false;
    view.addDataListener("vals", () => {
      if (waiting) return;
      waiting = true;
      requestAnimationFrame(() => { waiting = false; this.refresh(); });
    });
    // Vega reads the pointer in page pixels, so it needs the scale of the picture.
    new ResizeObserver(() => this.measure()).observe(stage);
    this.measure();
    this.refresh();
  }

  measure() {
    const svg = this.stage.querySelector("svg");
    const zoom = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
    if (zoom > 0) this.view.signal("zoom", zoom).runAsync();
  }

  // Make the dots sliders, for keyboards and screen readers.
  labelSliders() {
    for (const dot of this.stage.querySelectorAll(".handles path")) {
      const { f, v, text } = dot.__data__.datum;
      const attributes = { tabindex: 0, "aria-valuemin": f.low, "aria-valuemax": f.high, "aria-valuenow": v ?? f.usual, "aria-valuetext": text };
      for (const [name, value] of Object.entries(attributes)) dot.setAttribute(name, value);
    }
  }

  // "157 more levels", the triangles of groups and of the rest, and "20 more rows" are buttons.
  labelButtons() {
    const label = (selector, words) => {
      for (const element of this.stage.querySelectorAll(selector)) {
        const attributes = { tabindex: 0, role: "button", ...words(element.__data__.datum) };
        for (const [attribute, value] of Object.entries(attributes)) element.setAttribute(attribute, value);
      }
    };
    label(".more text", ({ name }) => ({ "aria-label": `${name}: list all levels` }));
    label(".group_buttons text", row => ({
      "aria-expanded": this.places.groups.has(row.k),
      "aria-label": `${row.f.name}: ${row.f.count} features that move together`,
    }));
    label(".rest_button text", () => ({ "aria-expanded": this.places.opened > 0, "aria-label": "Rows of all the rest" }));
    label(".more_rest text", () => ({ "aria-label": this.view.signal("more_text") }));
  }

  // Open what was clicked, if it is a button.
  opened(target) {
    const text = target.closest(".more text");
    if (text) this.levels.open(text.__data__.datum.k, text);
    const group = target.closest(".group_buttons text");
    if (group) this.places.toggle(group.__data__.datum.k);
    else if (target.closest(".rest_button text")) this.places.toggleRest();
    else if (target.closest(".more_rest text")) this.places.more();
    return Boolean(text || group || target.closest(".rest_button text, .more_rest text"));
  }

  pressed(event) {
    if (event.key === "Enter" || event.key === " ") {
      if (this.opened(event.target)) event.preventDefault();
    }
    if (event.key === "Escape" && event.target.closest(".group_buttons text, .rest_button text, .more_rest text")) {
      this.places.close(event.target.closest(".group_buttons text")?.__data__.datum.k);
    }
    const dot = event.target.closest(".handles path");
    if (!dot) return;
    const { i, v, v0, f } = dot.__data__.datum;
    if (event.key.toLowerCase() === "m" && f.missing !== null) {
      event.preventDefault();
      this.move(i, v === null ? v0 ?? f.usual : null);
      return;
    }
    const steps = { ArrowRight: FINE_STEPS, ArrowUp: FINE_STEPS, ArrowLeft: -FINE_STEPS, ArrowDown: -FINE_STEPS,
      PageUp: COARSE_STEPS, PageDown: -COARSE_STEPS }[event.key];
    const goal = { Home: f.low, End: f.high, Escape: v0 }[event.key];
    if (steps === undefined && goal === undefined) return;
    event.preventDefault();
    const wide = event.shiftKey && Math.abs(steps) === FINE_STEPS ? COARSE_STEPS : 1;
    // A missing value starts at the usual one.
    const next = v === null ? f.usual : Math.min(f.high, Math.max(f.low, v + steps * wide * f.step));
    this.move(i, goal === undefined ? next : goal);
  }

  async move(i, value) {
    await this.view.signal("edit", { row: this.view.data("vals")[i], v: value }).runAsync();
  }

  set(doc, k, value) {
    const row = this.view.data("vals").find(row => row.doc === doc && row.k === k);
    return this.move(row.i, value);
  }

  async reset() {
    for (const row of this.view.data("vals").filter(row => row.v !== row.v0)) await this.move(row.i, row.v0);
  }

  // The effects of a document's values: of the features by their scales, then of the interactions and groups.
  effectsOf(values) {
    const { view } = this;
    const features = view.data("features");
    const effects = values.map((v, k) => (v === null ? features[k].missing : view.scale(`g${k}`)(v)));
    const state = k => {
      const { last, names, t } = features[k];
      const v = values[k];
      return v === null ? last : !names ? view.scale(t)(v) : v < 0 ? last - 1 : v;
    };
    for (const { k, a, b, sa, sb, nb, table } of view.data("tables")) effects[k] = table[sa[state(a)] * nb + sb[state(b)]];
    for (const { k, shift } of features.filter(({ kind }) => kind === "group")) {
      effects[k] = features.reduce((sum, f) => (f.group === k ? sum + effects[f.k] : sum), shift);
    }
    return effects;
  }

  async show(pair) {
    const { view } = this;
    // New rows, because those of the view have hidden ids of Vega, which must be unique.
    const errors = new Map(pair.rows && pair.errors ? pair.rows.map(([k], place) => [k, pair.errors[place]]) : []);
    const effects = pair.dots.map(dot => dot.effects ?? this.effectsOf(dot.values));
    const rows = view.data("vals").map(({ i, doc, k }) => {
      const dot = doc === "B" ? 1 : 0;
      const { values } = pair.dots[dot];
      const e0 = effects[dot][k];
      // The value of an interaction or a group is its effect.
      const v = k < values.length ? values[k] : e0;
      return { i, doc, k, v, v0: v, e0, se: doc === "A" ? errors.get(k) ?? null : null };
    });
    if (pair.rows) {
      for (const axis of ["points", "scores"]) view.data(axis, pair[axis].map(([x, label]) => ({ x, label })));
      for (const [name, value] of Object.entries(pair.scale)) view.signal(name, value);
    }
    const [low, high] = pair.interval ?? [null, null];
    view.signal("interval_low", low).signal("interval_high", high).signal("rest_error", pair.rest_error ?? null);
    if (pair.subtitle !== undefined) view.signal("subtitle", pair.subtitle);
    pair.documents?.forEach((document, place) => {
      view.signal(`name_${"ab"[place]}`, document.name).signal(`place_${"ab"[place]}`, document.place);
    });
    await view.data("vals", rows).runAsync();
    await this.places.restart(pair.rows?.map(([k, top, x, drop]) => ({ k, x, drop })) ?? this.places.base);
  }

  refresh() {
    this.labelSliders();
    this.labelButtons();
    this.labelFigure();
    this.describeChanges();
    this.list.refresh();
    this.levels.refresh();
    this.host.dispatchEvent(new CustomEvent("glassrank:change", { bubbles: true }));
  }

  // After rows have moved: the focus stays on the button that moved them.
  arranged() {
    this.labelSliders();
    this.labelButtons();
    this.measure();
    this.list?.refresh();
  }

  // The label of the whole figure for screen readers: the documents compared, and the result.
  labelFigure() {
    const heads = this.view.getState({ signals: name => /^(name|place)_[ab]$/.test(name), data: () => false }).signals;
    const documents = ["a", "b"].filter(letter => heads[`name_${letter}`])
      .map(letter => `${heads[`name_${letter}`]}, ${(heads[`place_${letter}`] ?? "").replaceAll("\n", ", ")}`);
    const result = `${this.words.measure} ${this.view.signal("now_text")}`;
    this.host.querySelector("figure").setAttribute("aria-label", `${documents.join(" against ")}. ${result}.`);
  }

  describeChanges() {
    const moved = this.view.data("known").filter(row => row.moved);
    if (!moved.length) {
      this.sentence.replaceChildren();
      return;
    }
    const changes = moved.map(row => {
      const owner = this.words.owners[row.doc === "B" ? 1 : 0];
      return `${owner}${row.f.name} moved from ${row.recorded} to ${row.text}`;
    });
    const [before, after] = [this.view.signal("before_text"), this.view.signal("now_text")];
    const way = this.view.signal("total") > this.view.signal("before") ? "rises" : "falls";
    const result = before === after ? `stays at ${after}` : `${way} from ${before} to ${after}`;
    const sentence = `What if: ${changes.join("; ")}. ${this.words.measure} ${result}.`;
    const shown = this.sentence.querySelector("span");
    if (shown) {
      shown.textContent = sentence;
    } else {
      const reset = make("button", { type: "button", textContent: "Reset to recorded values", onclick: () => this.reset() });
      this.sentence.replaceChildren(make("span", { textContent: sentence }), reset);
    }
  }
}

// Where the rows are: those of the pair, members of open groups, opened rows of the rest, and pinned rows.
class Places {
  constructor(figure) {
    Object.assign(this, { figure, view: figure.view, sizes: figure.words.places, opened: 0, pinned: new Set() });
    const placed = this.view.data("placed");
    this.groups = new Set(placed.filter(place => place.foot).map(place => place.k));
    this.base = placed.filter(({ part }) => part === "row").map(({ k, x, drop }) => ({ k, x, drop }));
    this.arrange();
  }

  // Rows of another pair; what is open and pinned stays so.
  restart(base) {
    Object.assign(this, { base, opened: 0 });
    return this.arrange();
  }

  toggle(k) {
    this.groups.has(k) ? this.groups.delete(k) : this.groups.add(k);
    return this.arrange();
  }

  toggleRest() {
    this.opened = this.opened ? 0 : this.sizes.step;
    return this.arrange();
  }

  more() {
    this.opened += this.sizes.step;
    return this.arrange();
  }

  close(group) {
    group === undefined ? this.opened = 0 : this.groups.delete(group);
    return this.arrange();
  }

  pin(k) {
    this.pinned.has(k) ? this.pinned.delete(k) : this.pinned.add(k);
    return this.arrange();
  }

  // Lines without a row, in the order in which they would get one.
  get rest() {
    const shown = new Set(this.base.map(({ k }) => k));
    const key = row => row.f.length ?? Math.abs(row.recorded);
    const hidden = this.view.data("rows").filter(row => row.f.group === null && !shown.has(row.k));
    return hidden.sort((one, other) => key(other) - key(one) || one.k - other.k).map(row => row.k);
  }

  async arrange() {
    const { view, sizes, base, rest } = this;
    const stack = new Stack(view, sizes);
    base.forEach((place, n) => {
      const row = stack.add(place.k, "row", n + 1, place);
      if (this.groups.has(place.k)) stack.addMembers(row);
    });
    view.signal("rest_top", stack.top);
    if (rest.length) stack.top += sizes.rest;
    const number = new Map(rest.map((k, n) => [k, base.length + n + 1]));
    for (const k of rest.slice(0, this.opened)) stack.add(k, "rest", number.get(k));
    const left = this.opened ? Math.max(0, rest.length - this.opened) : 0;
    view.signal("more_text", left ? `${Math.min(left, sizes.step)} more of ${left} rows` : "").signal("more_top", stack.top);
    if (left) stack.top += sizes.more;
    const visible = new Set(stack.places.map(({ k }) => k));
    for (const k of this.pinned) if (!visible.has(k)) stack.add(k, "pin", number.get(k) ?? null);
    view.signal("bottom", stack.top + (view.signal("offset") ? sizes.average : 0)).signal("rest_open", this.opened);
    await view.data("placed", stack.places).runAsync();
    this.figure.arranged();
  }
}

// Rows below each other.
class Stack {
  constructor(view, sizes) {
    Object.assign(this, { view, sizes, features: view.data("features"), places: [], top: sizes.top });
    this.lowest = new Map();
    for (const { k, e0 } of view.data("vals")) this.lowest.set(k, Math.min(e0, this.lowest.get(k) ?? 0));
  }

  add(k, part, number, known = null) {
    const { view, sizes } = this;
    const f = this.features[k];
    const [zero, pixels] = [view.signal("zero"), view.signal("pixels")];
    // A document beyond the end of its line shifts it to the right.
    const x = known?.x ?? (zero === null ? sizes.left - pixels * this.lowest.get(k) : zero + pixels * f.lowest);
    const drop = known?.drop ?? (f.map && x + pixels * f.range > sizes.map_limit ? sizes.map_drop : 0);
    const place = { k, part, number, top: this.top, x, drop, foot: null };
    this.places.push(place);
    this.top += f.height + drop;
    return place;
  }

  addMembers(row) {
    const size = new Map(this.view.data("rows").map(({ k, recorded }) => [k, Math.abs(recorded)]));
    const members = this.features.filter(f => f.group === row.k).map(f => f.k);
    for (const k of members.sort((one, other) => size.get(other) - size.get(one) || one - other)) this.add(k, "member", null);
    this.top += this.sizes.panel_foot;
    row.foot = this.top;
  }
}

// A table of all lines with a search by name, including those without a row of their own, which can be pinned.
class FeatureList {
  constructor(figure) {
    this.figure = figure;
    this.lines = null;
    const kinds = figure.view.data("features").map(({ own, kind }) => (own ? "feature" : kind));
    const count = (kind, word) => {
      const n = kinds.filter(one => one === kind).length;
      return n ? [`${n} ${word}${n === 1 ? "" : "s"}`] : [];
    };
    this.count = kinds.length;
    const all = [...count("feature", "feature"), ...count("together", "interaction"), ...count("group", "group")];
    this.element = make("details", {}, make("summary", { textContent: `All ${all.join(", ")}, with search by name` }));
    this.element.addEventListener("toggle", () => this.element.open && !this.lines && this.build());
  }

  build() {
    const search = make("input", { type: "search", oninput: () => this.filter(search.value) });
    this.found = make("span", { role: "status" });
    const { letters } = this.figure.words;
    const titles = ["feature", ...letters, "contribution", "row"];
    const head = make("tr", {}, ...titles.map((title, place) => make("th", { scope: "col", textContent: title || "value", className: place ? "number" : "" })));
    this.lines = this.figure.view.data("rows").map(row => this.line(row, letters));
    this.body = make("tbody", {}, ...this.lines.map(line => line.element));
    const table = make("table", {}, make("thead", {}, head), this.body);
    const box = make("div", { className: "list", tabIndex: 0 }, table);
    box.setAttribute("role", "group");
    box.setAttribute("aria-label", "All features");
    this.element.append(make("label", {}, "Search features ", search), " ", this.found, box);
    this.filter("");
    this.refresh();
  }

  line(row, letters) {
    const cells = letters.map((letter, dot) => this.cell(row, "AB"[dot], letter));
    const amount = make("td", { className: "number" });
    const pin = make("button", { type: "button", onclick: () => this.figure.places.pin(row.k) });
    const name = make("td", { textContent: row.f.name });
    const last = make("td", { className: "number" }, pin);
    const element = make("tr", {}, name, ...cells.map(cell => cell.element), amount, last);
    return { k: row.k, name: row.f.name.toLowerCase(), title: row.f.name, element, cells, amount, pin };
  }

  cell(row, doc, letter) {
    if (!row.f.own) return { doc, control: null, element: make("td", { className: "number" }) };
    const label = `${letter ? letter + ", " : ""}${row.f.name}`;
    const missing = row.f.missing === null ? [] : [make("option", { value: "", textContent: "missing" })];
    const control = row.f.names
      ? make("select", {}, ...row.f.names.map((name, code) => make("option", { value: code, textContent: name })), ...missing)
      : make("input", { type: "number", step: "any", placeholder: row.f.missing === null ? "" : "missing" });
    control.setAttribute("aria-label", label);
    control.addEventListener("change", () => {
      if (control.value !== "") this.figure.set(doc, row.k, Number(control.value));
      else if (row.f.missing !== null) this.figure.set(doc, row.k, null);
    });
    return { doc, control, element: make("td", { className: "number" }, control) };
  }

  filter(text) {
    const wanted = text.trim().toLowerCase();
    const shown = this.lines.filter(line => !(line.element.hidden = !line.name.includes(wanted)));
    this.found.textContent = `${shown.length} of ${this.count}`;
  }

  refresh() {
    if (!this.lines) return;
    const contributions = new Map(this.figure.view.data("rows").map(row => [row.k, row.amount]));
    const values = new Map(this.figure.view.data("all").map(row => [row.doc + row.k, row]));
    const places = new Map(this.figure.view.data("placed").map(place => [place.k, place]));
    for (const line of this.lines) {
      line.amount.textContent = contributions.get(line.k);
      const place = places.get(line.k);
      const shown = place && place.part !== "pin";
      line.pin.textContent = shown ? place.number ?? "shown" : place ? "Unpin" : "Pin";
      line.pin.disabled = Boolean(shown);
      line.pin.setAttribute("aria-label", shown ? `${line.title}: in the picture` : `${line.pin.textContent} ${line.title}`);
      for (const cell of line.cells) {
        const { v, moved, text } = values.get(cell.doc + line.k);
        if (!cell.control) cell.element.textContent = text;
        else if (document.activeElement !== cell.control) cell.control.value = v === null ? "" : Number(v.toPrecision(6));
        cell.element.classList.toggle("changed", Boolean(moved));
      }
    }
  }
}

// All levels of one category by effect, with a search; opened from its line.
class LevelList {
  constructor(figure) {
    this.figure = figure;
    this.element = make("div", { className: "levels", hidden: true });
    this.element.addEventListener("keydown", event => event.key === "Escape" && this.close());
  }

  open(k, opener) {
    const feature = this.figure.view.data("features")[k];
    const effect = this.figure.view.scale(feature.g);
    const entries = feature.names.map((name, code) => ({ name, code, effect: effect(code) + feature.lowest, rows: feature.counts[code] }));
    Object.assign(this, { k, opener, entries: entries.sort((a, b) => b.effect - a.effect || a.code - b.code) });
    const search = make("input", { type: "search", oninput: () => this.filter(search.value) });
    this.found = make("span", { role: "status" });
    this.body = make("tbody");
    const titles = ["document", "level", "rows", "effect"];
    const head = make("tr", {}, ...titles.map((title, place) => make("th", { scope: "col", textContent: title, className: place > 1 ? "number" : "" })));
    const box = make("div", { className: "list", tabIndex: 0 }, make("table", {}, make("thead", {}, head), this.body));
    box.setAttribute("role", "group");
    box.setAttribute("aria-label", `Levels of ${feature.name}`);
    const close = make("button", { type: "button", textContent: "Close", onclick: () => this.close() });
    const title = make("p", { className: "title", textContent: `${feature.name}: all ${feature.names.length} levels by effect` });
    this.element.replaceChildren(title, make("label", {}, "Find a level ", search), " ", this.found, " ", close, box);
    this.element.hidden = false;
    this.text = "";
    this.refresh();
    search.focus();
  }

  close() {
    this.element.hidden = true;
    this.opener?.focus();
  }

  filter(text) {
    this.text = text.trim().toLowerCase();
    this.refresh();
  }

  // The levels of A and B are marked, also after a change.
  refresh() {
    if (this.element.hidden) return;
    const { letters } = this.figure.words;
    const own = this.figure.view.data("all").filter(row => row.k === this.k);
    const rare = new Set(this.figure.view.data("features")[this.k].rare);
    const shown = this.entries.filter(({ name }) => name.toLowerCase().includes(this.text));
    this.found.textContent = `${shown.length} of ${this.entries.length}`;
    this.body.replaceChildren(...shown.map(({ name, code, effect, rows }) => {
      const marks = own.filter(row => row.v === code).map(row => letters[row.doc === "B" ? 1 : 0] || "●");
      const number = `${effect < 0 ? "−" : "+"}${Math.abs(effect).toFixed(2)}`;
      const cells = [marks.join(", "), rare.has(code) ? `${name} (rare)` : name, rows.toLocaleString("en"), number];
      const className = place => (place > 1 ? "number" : "") + (marks.length ? " changed" : "");
      return make("tr", {}, ...cells.map((textContent, place) => make("td", { textContent, className: className(place) })));
    }));
  }
}

for (const host of document.querySelectorAll(".nomogram")) start(host);
