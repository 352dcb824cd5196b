// Three choices above the live nomogram: a query and two of its documents.
// Each pair is stored once, as "0 1" for documents 0 and 1, and swapped for the opposite order.

for (const picker of document.querySelectorAll(".picker")) {
  const { start, queries } = JSON.parse(picker.querySelector("script").textContent);
  const query = picker.querySelector(".query");
  const [first, second] = picker.querySelectorAll(".document");
  const figure = document.querySelector(".nomogram");

  const offer = (select, names, chosen) => {
    select.replaceChildren(...names.map((name, place) => new Option(name, place, false, place === chosen)));
  };
  const turned = pair => ({
    ...pair,
    documents: [1, 0].map(place => {
      const { name, place: where } = pair.documents[place];
      return { name: name.replace(/^[AB] /, place ? "A " : "B "), place: where };
    }),
    dots: [pair.dots[1], pair.dots[0]],
    interval: pair.interval && [-pair.interval[1], -pair.interval[0]],
  });
  const show = () => {
    // If the figure is not ready yet, show the picked pair when it is.
    if (!figure.glassrank) return figure.addEventListener("glassrank:ready", show, { once: true });
    const [a, b] = [Number(first.value), Number(second.value)];
    const { pairs } = queries[query.value];
    figure.glassrank.show(a < b ? pairs[`${a} ${b}`] : turned(pairs[`${b} ${a}`]));
  };
  // The two documents must differ, so the other choice changes.
  const chosen = (changed, other) => {
    if (changed.value === other.value) other.value = changed.value === "0" ? "1" : "0";
    show();
  };
  const open = ([a, b]) => {
    const { documents } = queries[query.value];
    offer(first, documents, a);
    offer(second, documents, b);
  };

  open(start);
  query.addEventListener("change", () => { open([0, 1]); show(); });
  first.addEventListener("change", () => chosen(first, second));
  second.addEventListener("change", () => chosen(second, first));
}
