// The data of the picker: in the page, or in script files of a folder beside it, because a page that was opened from
// disk cannot fetch. Each file calls glassrankData(token, name, content); the token belongs to one version of the page.

class PickerData {
  constructor(content) {
    Object.assign(this, content);
    this.loaded = new Map();
    if (this.folder) globalThis.glassrankData = (token, name, found) => this.loaded.set(name, { token, found });
  }

  // All queries as [name, number of documents, measure, number of its file].
  async names() {
    return Array.isArray(this.index) ? this.index : (this.index = await this.file("queries"));
  }

  async query(place) {
    const table = this.queries[place] ??
      (await this.file(`q${String((await this.names())[place][3]).padStart(4, "0")}`))[place];
    return readParts(table);
  }

  async file(name) {
    if (!this.loaded.has(name)) await this.load(`${encodeURIComponent(this.folder)}/${name}.js`);
    const { token, found } = this.loaded.get(name) ?? {};
    if (token === this.token) return found;
    this.loaded.delete(name);
    throw new Error(`The folder “${this.folder}” beside this page belongs to another version of the report. Write the report again.`);
  }

  load(address) {
    return new Promise((done, fail) => {
      const script = document.createElement("script");
      const missing = `The documents of the other queries are in the folder “${this.folder}”, which belongs beside this page, but “${address}” cannot be read. Put the folder back beside the page.`;
      script.addEventListener("load", done);
      script.addEventListener("error", () => { script.remove(); fail(new Error(missing)); });
      script.src = address;
      document.head.append(script);
    });
  }
}

// A table in which equal parts are stored once; see shared_parts.py.
function readParts(table) {
  const read = place => {
    const entry = table[place];
    if (Array.isArray(entry)) return entry.map(value);
    if (typeof entry !== "object") return entry;
    const keys = read(entry.k);
    return Object.fromEntries(entry.v.map((one, k) => [keys[k], value(one)]));
  };
  const value = one => Array.isArray(one) ? read(one[0]) : one;
  return read(table.length - 1);
}
