// Keys for judging: 2, 1 and 0 label the current page, J and K move through the pages.

import { onKey } from "./app.js";

const pages = [...document.querySelectorAll("ol.judge > li")];
let place = Math.max(0, pages.findIndex((page) => page.id === "current"));

function move(step) {
  place = Math.min(pages.length - 1, Math.max(0, place + step));
  pages.forEach((page, own) => page.classList.toggle("focus", own === place));
  pages[place].querySelector("button").focus();
}

for (const label of ["2", "1", "0"]) {
  const words = pages[0]?.querySelector(`button[value="${label}"]`)?.textContent.trim().replace(/^\d\s*/, "");
  onKey(label, `label the page: ${words}`, () => pages[place]?.querySelector(`button[value="${label}"]`).click());
}
onKey("J", "next page", () => move(1));
onKey("K", "previous page", () => move(-1));
for (const [own, page] of pages.entries()) page.addEventListener("focusin", () => (place = own));
