// Arrow keys walk along the curve.
import { onKey } from "/static/app.js";

const follow = (rel) => () => document.querySelector(`a[rel=${rel}]`)?.click();
onKey("ArrowLeft", "one point of the curve to the left: fewer features", follow("prev"));
onKey("ArrowRight", "one point of the curve to the right: more features", follow("next"));

// In a part that can be scrolled sideways, the arrows scroll it.
for (const part of document.querySelectorAll("figure, .scroll")) {
  part.addEventListener("keydown", (event) => {
    if (event.target === part && part.scrollWidth > part.clientWidth) event.stopPropagation();
  });
}
