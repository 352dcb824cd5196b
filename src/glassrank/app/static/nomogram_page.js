// Moves the dots whose values the address changes, once the nomogram is live; keys and selects as on the Ranking page.
import { onKey, pageData } from "./app.js";

document.addEventListener("glassrank:ready", async (event) => {
  for (const [letter, k, value] of pageData().changes) await event.target.glassrank.set(letter, k, value);
});
for (const field of document.querySelectorAll("form.submits select")) field.addEventListener("change", () => field.form.submit());
for (const button of document.querySelectorAll("form.submits button")) button.hidden = true;
const follow = (key) => () => document.querySelector(`a[data-key=${key}]`)?.click();
onKey("J", "next query", follow("J"));
onKey("K", "previous query", follow("K"));
