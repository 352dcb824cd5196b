// The dots of the pair panel as sliders: the list re-ranks while one is moved; on release the server's values are shown.
import { fetchJson, number } from "./app.js";

const ROW_HEIGHT = 44, SIDES = { a: 0, b: 1 };

// A value with as many digits as a hundredth of the feature's range needs.
export function readable(feature, value) {
  const digits = digitsOf(feature, 8);
  return value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits }).replace("-", "−");
}

const rounded = (feature, value) => Number(value.toFixed(digitsOf(feature, 12)));

function digitsOf(feature, most) {
  const size = (feature.high - feature.low) / 100;
  return feature.whole ? 0 : Math.min(most, Math.max(0, Math.ceil(-Math.log10(size > 0 ? size : 1))));
}

// Straight between the samples (x, y), constant beyond them.
export function interpolate(xs, ys, x) {
  if (x <= xs[0]) return ys[0];
  if (x >= xs[xs.length - 1]) return ys[ys.length - 1];
  let low = 0, high = xs.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (xs[middle] <= x) low = middle;
    else high = middle;
  }
  return ys[low] + ((ys[high] - ys[low]) * (x - xs[low])) / (xs[high] - xs[low]);
}

// The value of one rising or falling part of the curve that has an effect; the part is that of the present value.
function valueAt(row, effect, now) {
  const start = now ?? row.values[0];
  const run = row.runs.find(([first, last]) => row.values[first] <= start && start <= row.values[last]) ?? row.runs[0];
  if (run === undefined) return start;
  let xs = row.effects.slice(run[0], run[1] + 1), ys = row.values.slice(run[0], run[1] + 1);
  if (xs[xs.length - 1] < xs[0]) [xs, ys] = [xs.reverse(), ys.reverse()];
  for (let i = 1; i < xs.length; i++) xs[i] = Math.max(xs[i], xs[i - 1]);
  return interpolate(xs, ys, effect);
}

export function startDots(page) {
  if (!page.data.scores || page.data.b === null) return;
  const table = document.querySelector("table.pair");
  const scale = { pixels: Number(table.dataset.pixels), left: Number(table.dataset.left) };
  const list = new LiveList(page);
  for (const row of page.data.rows) {
    const line = table.querySelector(`tr[data-k="${row.k}"]`);
    for (const dot of line.querySelectorAll("[data-dot]")) new Dot(page, row, line, dot, scale, list);
  }
}

class Dot {
  constructor(page, row, line, element, scale, list) {
    Object.assign(this, { page, row, line, element, scale, list });
    this.letter = element.dataset.dot;
    this.side = SIDES[this.letter];
    this.feature = page.data.features[row.k];
    this.value = row.now[this.side];
    const name = page.data.documents[this.place].name;
    const attributes = { role: "slider", tabindex: 0, "aria-label": `${this.feature.name} of ${this.letter.toUpperCase()}, ${name}`,
      "aria-valuemin": row.values[0], "aria-valuemax": row.values[row.values.length - 1] };
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    this.say();
    element.addEventListener("pointerdown", (event) => this.grab(event));
    element.addEventListener("pointermove", (event) => this.drag(event));
    element.addEventListener("pointerup", () => this.release());
    element.addEventListener("pointercancel", () => this.release());
    element.addEventListener("keydown", (event) => this.press(event));
    element.addEventListener("keyup", () => this.release());
  }

  get place() {
    return this.page.data[this.letter];
  }

  say() {
    this.element.setAttribute("aria-valuenow", this.value ?? this.row.values[0]);
    this.element.setAttribute("aria-valuetext", this.text);
  }

  get text() {
    if (this.value === null) return "missing";
    return this.feature.levels.length ? this.feature.levels[this.value] ?? "not seen in training" : readable(this.feature, this.value);
  }

  grab(event) {
    if (event.button !== 0) return;
    event.preventDefault();
    this.element.focus();
    this.element.setPointerCapture(event.pointerId);
    this.dragging = true;
  }

  drag(event) {
    if (!this.dragging) return;
    const svg = this.element.ownerSVGElement, box = svg.getBoundingClientRect(), view = svg.viewBox.baseVal;
    const x = view.x + ((event.clientX - box.left) * view.width) / box.width;
    const effect = (x - this.scale.left) / this.scale.pixels;
    if (this.feature.levels.length) {
      const near = this.row.effects.reduce((best, one, code) => (Math.abs(one - effect) < Math.abs(this.row.effects[best] - effect) ? code : best), 0);
      this.move(near);
    } else this.move(rounded(this.feature, valueAt(this.row, effect, this.value)));
  }

  press(event) {
    const { row, feature } = this, first = row.values[0], last = row.values[row.values.length - 1];
    const one = feature.levels.length || feature.whole ? 1 : (last - first) / 100;
    const step = one * (event.shiftKey ? 10 : 1), now = this.value ?? first;
    const next = { ArrowRight: now + step, ArrowUp: now + step, ArrowLeft: now - step, ArrowDown: now - step, Home: first, End: last }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const bounded = Math.min(last, Math.max(first, next));
    const end = event.key === "Home" || event.key === "End";
    this.move(feature.levels.length ? bounded : end ? Number(bounded.toPrecision(6)) : rounded(feature, bounded));
  }

  move(value) {
    if (value === this.value) return;
    this.value = value;
    this.moved = true;
    const effect = this.feature.levels.length ? this.row.effects[value] : interpolate(this.row.values, this.row.effects, value);
    this.draw(effect);
    this.say();
    this.list.show(this, effect - this.row.at[this.side]);
  }

  draw(effect) {
    const { left, pixels } = this.scale, at = [...this.row.at];
    at[this.side] = effect;
    const [a, b] = at.map((one) => left + pixels * one), y = this.element.getAttribute("transform").split(" ")[1];
    this.element.setAttribute("transform", `translate(${this.side === 0 ? a : b} ${y}`);
    const between = this.line.querySelector(".between");
    between.setAttribute("d", `M${a} ${parseFloat(y)}H${b}`);
    between.setAttribute("class", `between ${at[0] > at[1] ? "a" : "b"}`);
    this.line.querySelector(`[data-part=value-${this.letter}]`).textContent = this.text;
    amount(this.line.querySelector("[data-part=contribution]"), at[0] - at[1]);
  }

  release() {
    this.dragging = false;
    if (!this.moved) return;
    this.moved = false;
    const value = this.feature.levels.length ? this.feature.levels[this.value] : String(this.value);
    this.page.change(this.place, this.row.k, value);
  }
}

function amount(cell, value) {
  cell.textContent = signed(value);
  cell.className = `number ${value > 0 ? "a" : value < 0 ? "b" : ""}`;
}

// The list, total and probability while a dot is moved: only the moved document's score changes.
class LiveList {
  constructor(page) {
    this.page = page;
    this.rows = [...document.querySelectorAll(".document")];
    this.recorded = page.data.documents.map((one) => one.score);
    this.asking = false;
  }

  show(dot, change) {
    const { data } = this.page, place = dot.place;
    this.scores = this.recorded.slice();
    this.scores[place] += change;
    this.rank(place);
    this.bar(dot, change);
    this.total(data.total + (dot.letter === "a" ? change : -change));
    document.querySelector(`[data-part=place-${dot.letter}]`).textContent = `rank ${this.rankOf(place)} · ${signed(this.scores[place])}`;
    this.sentence(dot);
  }

  // One more than the number of higher scores.
  rankOf(place) {
    let low = 0, high = this.sorted.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.sorted[middle] > this.scores[place]) low = middle + 1;
      else high = middle;
    }
    return low + 1;
  }

  rank(moved) {
    this.sorted = Float64Array.from(this.scores).sort().reverse();
    const places = this.rows.map((row) => Number(row.dataset.document));
    const order = places.map((_, i) => i).sort((i, j) => this.scores[places[j]] - this.scores[places[i]] || i - j);
    order.forEach((i, slot) => {
      const row = this.rows[i], shift = slot === i ? "" : `translateY(${ROW_HEIGHT * (slot - i)}px)`;
      if (row.style.transform !== shift) row.style.transform = shift;
      const shown = row.querySelector(".rank").firstChild, rank = String(this.rankOf(places[i]));
      if (shown.data !== rank) shown.data = rank;
    });
    const row = this.rows[places.indexOf(moved)];
    row.style.zIndex = 1;
    row.querySelector(".score").textContent = signed(this.scores[moved]);
  }

  bar(dot, change) {
    const cell = document.getElementById(`d${dot.place}-${dot.row.k}`);
    if (cell === null) return;
    const { half, largest } = this.page.data.bars, added = dot.row.added[dot.side] + change;
    const width = Math.min(50, (half * Math.abs(added)) / largest), drawn = cell.querySelector("i:not(.ghost)");
    drawn.style.width = `${width}%`;
    drawn.style.left = `${added >= 0 ? 50 : 50 - width}%`;
    cell.querySelector(".unseen").textContent = signed(added);
  }

  total(total) {
    const side = total >= 0 ? "a" : "b", probability = 1 / (1 + Math.exp(-total));
    amount(document.querySelector("[data-part=total]"), total);
    const shown = document.querySelector("[data-part=probability]");
    shown.textContent = shown.dataset.unit === "score" ? signed(total) : probability >= 0.995 ? "> 0.99" : probability < 0.005 ? "< 0.01" : probability.toFixed(2);
    shown.closest(".big-p").className = `big-p ${side}`;
    const ruler = document.querySelector("svg.ruler"), middle = ruler.viewBox.baseVal.width / 2;
    const x = middle * (1 + Math.max(-1, Math.min(1, total / Number(ruler.dataset.half))));
    ruler.querySelector("[data-part=ruler-bar]").setAttribute("d", `M${middle} 9H${x}`);
    ruler.querySelector("[data-part=ruler-bar]").setAttribute("class", `between ${side}`);
    ruler.querySelector("[data-part=ruler-dot]").setAttribute("transform", `translate(${x} 9)`);
    ruler.querySelector("[data-part=ruler-dot]").setAttribute("class", `dot ${side}`);
  }

  // Change and rank at once; the measure as soon as the server has it.
  async sentence(dot) {
    const { data } = this.page, said = document.getElementById("what-if-said"), quality = data.quality;
    const what = `What if ${data.documents[dot.place].name}’s ${dot.feature.name} were ${dot.text}: rank `;
    const words = () => `${what}${data.documents[dot.place].recorded_rank} → ${this.rankOf(dot.place)}`;
    said.textContent = `${words()}.`;
    this.wanted = this.page.step(dot.place, dot.row.k, dot.feature.levels.length ? dot.feature.levels[dot.value] : String(dot.value));
    if (this.asking) return;
    this.asking = true;
    try {
      const asked = this.page.address({ set: [...this.page.steps(), this.wanted] });
      const found = await fetchJson(`/api/studies/${encodeURIComponent(data.study)}/ranking${asked.search}`);
      if (said.isConnected && dot.moved) said.textContent = `${words()}, ${quality.name} ${number(quality.recorded, 3)} → ${number(found.value, 3)}.`;
    } finally {
      this.asking = false;
    }
  }
}

const signed = (value) => number(value, 2, true);
