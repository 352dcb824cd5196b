// Arrow keys walk along the curve; what is still being computed is asked for until it is there.
import { fetchJson, onKey } from "/static/app.js";

const follow = (rel) => () => document.querySelector(`a[rel=${rel}]`)?.click();
onKey("ArrowLeft", "one point of the curve to the left: fewer features", follow("prev"));
onKey("ArrowRight", "one point of the curve to the right: more features", follow("next"));

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

// In a part that can be scrolled sideways, the arrows scroll it.
for (const part of document.querySelectorAll("figure, .scroll")) {
  part.addEventListener("keydown", (event) => {
    if (event.target === part && part.scrollWidth > part.clientWidth) event.stopPropagation();
  });
}
