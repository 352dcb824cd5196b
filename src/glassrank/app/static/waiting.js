// What is still being computed is asked for until it is there; the page then shows it.
import { fetchJson } from "/static/app.js";

const EVERY = 1500; // milliseconds
const waiting = [...document.querySelectorAll("[data-waiting]")];

async function ask(element) {
  try {
    const { ready } = await fetchJson(element.dataset.waiting);
    if (ready) return location.reload();
    setTimeout(ask, EVERY, element);
  } catch (error) {
    element.textContent = error.message;
  }
}

for (const element of waiting) setTimeout(ask, EVERY, element);
