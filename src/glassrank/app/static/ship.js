// Shows for each format how exact it is, or why it cannot store this model, one after the other; and copies commands.

import { fetchJson, make, pageData } from "./app.js";

const { study } = pageData();

for (const block of document.querySelectorAll("#chosen pre")) {
  const text = block.textContent;
  const button = make("button", { type: "button", class: "small copy" }, "Copy");
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  });
  block.prepend(button);
}

for (const row of document.querySelectorAll("tr[data-format]")) {
  const state = row.querySelector(".state");
  try {
    const found = await fetchJson(`/api/studies/${encodeURIComponent(study)}/exports/${row.dataset.format}`);
    state.textContent = found.possible
      ? `Scores differ by at most ${found.bound.toPrecision(2)}.`
      : `Not possible: ${found.reason}`;
  } catch (error) {
    state.textContent = error.message;
  }
}
