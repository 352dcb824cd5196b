// Changed transforms are noted in the address, so that filtering and reloading keep them; the button runs them.
import { withParameters } from "/static/app.js";

const selects = [...document.querySelectorAll("select[data-own]")];
const button = document.getElementById("rerun-button");
const hint = document.getElementById("rerun-hint");
const form = document.getElementById("rerun");
const filter = document.getElementById("filter");

function note() {
  const elsewhere = [...form.querySelectorAll("input[name=transform]")].map((input) => input.value);
  const here = selects.filter((select) => select.value !== select.dataset.own);
  const changes = [...here.map((select) => select.value), ...elsewhere];
  for (const select of selects) select.classList.toggle("changed", here.includes(select));
  button.disabled = changes.length === 0;
  const count = changes.length === 1 ? "1 transform" : `${changes.length} transforms`;
  hint.textContent = changes.length === 0 ? "Change a transform below first." : `${count} changed.`;
  history.replaceState(null, "", withParameters({ transform: changes }));
  for (const link of document.querySelectorAll("nav.segments a")) link.href = withParameters({ transform: changes }, link.href);
  for (const old of filter.querySelectorAll("input[name=transform]")) old.remove();
  for (const one of changes) {
    const input = document.createElement("input");
    Object.assign(input, { type: "hidden", name: "transform", value: one });
    filter.append(input);
  }
}

for (const select of selects) select.addEventListener("change", note);
note();
