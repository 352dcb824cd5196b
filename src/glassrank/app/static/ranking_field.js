// The small field of a clicked bar: another value for one document, checked by the server before it is taken.
import { fetchJson, make } from "./app.js";
import { readable } from "./ranking_dots.js";

let opened = null;

export function openField(page, cell, place) {
  opened?.remove();
  const { data } = page, k = Number(cell.dataset.k), feature = data.features[k];
  const field = inputOf(feature, cell.dataset.value);
  const problem = make("p", { role: "alert", class: "problem" });
  const close = () => {
    box.remove();
    opened = null;
    cell.focus();
  };
  const take = async (value) => {
    try {
      const asked = page.address({ set: [...page.steps(), page.step(place, k, value)] });
      await fetchJson(`/api/studies/${encodeURIComponent(data.study)}/ranking${asked.search}`);
    } catch (error) {
      problem.textContent = error.message;
      field.focus();
      return;
    }
    close();
    page.change(place, k, value);
  };
  const button = (words, value) => make("button", { type: "button", class: "small", onclick: () => take(value) }, words);
  const said = (value) => (value === "" ? "missing" : feature.levels.length ? value : readable(feature, Number(value)));
  const cellOfA = document.getElementById(`d${data.a}-${k}`);
  const choices = [button("Keep", null)];
  choices[0].onclick = () => take(field.value);
  if (place !== data.a && cellOfA) choices.push(button(`as A has: ${said(cellOfA.dataset.value)}`, cellOfA.dataset.value));
  if (feature.missing) choices.push(button("missing", ""));
  const box = make("form", { class: "value-field", "aria-label": `${feature.name} of ${data.documents[place].name}` },
    make("p", { class: "row" }, make("label", { for: "value-field" }, feature.name + (feature.unit ? `, ${feature.unit}` : "")),
      make("span", { class: "hint" }, `recorded ${said(cell.dataset.recorded ?? cell.dataset.value)}`)),
    make("div", { class: "row" }, field, ...choices),
    make("p", { class: "hint" }, range(feature, said) + tie(page, k, place, said)),
    problem,
    make("p", { class: "hint" }, "Enter keeps, Esc puts back"));
  box.addEventListener("submit", (event) => {
    event.preventDefault();
    event.stopPropagation();
    take(field.value);
  });
  box.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    close();
  });
  box.addEventListener("change", (event) => event.stopPropagation());
  placeBelow(box, cell);
  opened = box;
  field.focus();
  field.select?.();
}

function inputOf(feature, value) {
  if (feature.levels.length === 0) {
    return make("input", { id: "value-field", type: "text", inputmode: "decimal", value, autocomplete: "off" });
  }
  const levels = feature.missing ? ["", ...feature.levels] : feature.levels;
  const options = levels.map((one) => make("option", { value: one, selected: one === value }, one === "" ? "missing" : one));
  return make("select", { id: "value-field" }, ...options);
}

const range = (feature, said) => (feature.levels.length ? "" : `usual values ${said(feature.low)} to ${said(feature.high)}`);

function tie(page, k, place, said) {
  const row = page.data.rows.find((one) => one.k === k);
  const value = row === undefined ? null : place === page.data.b ? row.ties[1] : place === page.data.a ? row.ties[0] : null;
  return value === null ? "" : ` · tie with ${place === page.data.b ? "A" : "B"} at ${said(value)}`;
}

// Below the cell, inside the page.
function placeBelow(box, cell) {
  const list = cell.closest("section"), outer = list.getBoundingClientRect(), inner = cell.getBoundingClientRect();
  list.style.position = "relative";
  list.append(box);
  const left = Math.min(inner.left - outer.left, document.documentElement.clientWidth - outer.left - box.offsetWidth - 16);
  box.style.left = `${Math.max(0, left)}px`;
  box.style.top = `${inner.bottom - outer.top}px`;
}

document.addEventListener("pointerdown", (event) => {
  if (opened !== null && !opened.contains(event.target)) {
    opened.remove();
    opened = null;
  }
});
