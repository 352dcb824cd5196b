// The picker above the live nomogram, and the links that open a pair in it: #query=…&a=…&b=…

class Picker {
  constructor(host) {
    this.data = new PickerData(JSON.parse(host.querySelector("script.pairs").textContent));
    this.figure = document.querySelector(".nomogram");
    this.message = host.querySelector(".message");
    this.fact = host.querySelector("#picker-fact");
    [this.first, this.second] = host.querySelectorAll("select");
    this.search = new QuerySearch(host.querySelector(".query"), host.querySelector(".matches"), place => this.run(() => this.pick(place)));
    this.first.addEventListener("change", () => this.changed(this.first, this.second));
    this.second.addEventListener("change", () => this.changed(this.second, this.first));
    addEventListener("hashchange", () => this.run(() => this.follow()));
    // A link to the address that is already shown changes nothing, so there is no event.
    document.addEventListener("click", event => {
      const link = event.target.closest?.('a[href^="#query="]');
      if (link && link.hash === location.hash) this.run(() => this.follow());
    });
    this.run(() => this.begin());
  }

  // Show the reason if something cannot be loaded or found.
  async run(work) {
    this.message.textContent = "";
    try {
      await work();
    } catch (error) {
      this.message.textContent = error.message;
    }
  }

  async begin() {
    const { opened, start } = this.data;
    const entry = this.data.index[opened];
    this.search.offer([entry], this.data.measure);
    this.search.set(0, entry[0]);
    this.open(entry, await this.data.query(opened), start);
    const names = await this.data.names();
    this.search.offer(names, this.data.measure);
    this.search.set(opened, entry[0]);
    await this.follow();
  }

  // Offer the documents of a query, and choose two of them.
  open(entry, query, [a, b]) {
    this.query = query;
    const [name, documents, value] = entry;
    this.name = name;
    const measured = value === null ? "" : `, ${this.data.measure} ${value.toFixed(3)}`;
    this.fact.textContent = `${documents.toLocaleString("en")} documents${measured}`;
    const texts = query.documents.map(([text, rank, label]) => `${rank}. ${text}, judged ${label}`);
    for (const [select, chosen] of [[this.first, a], [this.second, b]]) {
      select.replaceChildren(...texts.map((text, place) => new Option(text, place, false, place === chosen)));
    }
  }

  async pick(place, find = () => [0, 1]) {
    const query = await this.data.query(place);
    const entry = (await this.data.names())[place];
    const pair = find(query.documents.map(([name]) => name), entry[0]);
    this.search.set(place, entry[0]);
    this.open(entry, query, pair);
    await this.show();
  }

  // The two documents must differ, so the other choice changes.
  changed(select, other) {
    if (select.value === other.value) other.value = select.value === "0" ? "1" : "0";
    this.run(() => this.show());
  }

  async show() {
    const [a, b] = [Number(this.first.value), Number(this.second.value)];
    const [names, address] = [this.query.documents, new URLSearchParams()];
    Object.entries({ query: this.name, a: names[a][0], b: names[b][0] }).forEach(([key, text]) => address.set(key, text));
    history.replaceState(null, "", `#${address}`);
    // If the figure is not ready yet, show the picked pair when it is.
    if (!this.figure.glassrank) await new Promise(done => this.figure.addEventListener("glassrank:ready", done, { once: true }));
    await this.figure.glassrank.show(this.query.pairs[a][b]);
  }

  // Open the pair that the address names, if it names one.
  async follow() {
    const address = new URLSearchParams(location.hash.slice(1));
    if (!address.has("query")) return;
    const wanted = address.get("query");
    const place = (await this.data.names()).findIndex(([name]) => name === wanted);
    if (place < 0) throw new Error(`The link names the query “${shortened(wanted)}”, which this report does not have.`);
    await this.pick(place, names => {
      const pair = ["a", "b"].map(letter => named(names, address.get(letter)));
      return address.has("a") && address.has("b") && pair[0] !== pair[1] ? pair : [0, 1];
    });
    this.figure.closest("section").scrollIntoView();
    this.figure.querySelector("figure").focus({ preventScroll: true });
  }
}

const shortened = text => text.length > 80 ? `${text.slice(0, 80)}…` : text;

function named(names, wanted) {
  if (wanted === null) return null;
  const place = names.indexOf(wanted);
  if (place < 0) throw new Error(`The link names the document “${shortened(wanted)}”, which the picker does not offer for this query.`);
  return place;
}

for (const host of document.querySelectorAll(".picker")) new Picker(host);

// Above several tables of failures, choose the model whose table is shown.
for (const select of document.querySelectorAll(".failures select")) {
  const tables = [...select.closest(".failures").querySelectorAll("[data-system]")];
  // The choice says whose table it is, so the headings are for readers without scripts.
  tables.forEach(table => { table.querySelector("h3").hidden = true; });
  const choose = () => tables.forEach((table, place) => { table.hidden = place !== Number(select.value); });
  select.addEventListener("change", choose);
  choose();
}
