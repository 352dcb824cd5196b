// The command line below the form follows every change; a dropped file is uploaded at once.
import { pageData } from "./app.js";

const known = pageData();
const form = document.getElementById("study-form");
const command = document.getElementById("command");

const quoted = (word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'"'"'`)}'`);

function rolesOf(fields) {
  return [...form.querySelectorAll("select[data-column]")].map((select) => [select.dataset.column, fields.get(select.name)]);
}

function columnWords(roles, isOneQuery) {
  const words = isOneQuery && !roles.some(([, role]) => role === "query") ? ["--one-query"] : [];
  for (const [role, option] of Object.entries({ ...known.columns, ...known.lists }))
    for (const [name, chosen] of roles) if (chosen === role) words.push(option, name);
  return words;
}

function optionWords(fields) {
  const words = [];
  for (const [name, usual] of Object.entries(known.defaults)) {
    const text = (fields.get(name) ?? "").trim();
    if (text === "" || text === usual) continue;
    const lines = known.repeated.includes(name) ? text.split("\n") : [text];
    for (const line of lines) if (line.trim() !== "") words.push(`--${name}`, line.trim());
  }
  return words;
}

function follow() {
  const fields = new FormData(form);
  const file = fields.get("file");
  const words = ["study", file.startsWith("-") ? `./${file}` : file];
  const test = fields.get("test_file").trim();
  const title = fields.get("title").trim();
  words.push(...(test === "" ? [] : ["--test", test]), ...columnWords(rolesOf(fields), fields.has("one_query")), ...optionWords(fields));
  words.push(...(title === "" ? [] : ["--title", title]));
  command.textContent = `glassrank ${words.map(quoted).join(" ")}`;
}

// What is wrong with a column in one role says nothing about another role.
for (const row of form?.querySelectorAll("tr:has(.error)") ?? []) {
  const select = row.querySelector("select");
  const first = select.value;
  select.addEventListener("change", () => {
    for (const said of row.querySelectorAll(".error")) said.hidden = select.value !== first;
  });
}

if (form !== null) {
  form.addEventListener("input", follow);
  form.addEventListener("change", follow);
}
document.getElementById("problem")?.focus();

const drop = document.getElementById("drop");
drop?.addEventListener("dragover", (event) => event.preventDefault());
drop?.addEventListener("drop", (event) => {
  event.preventDefault();
  drop.querySelector("input[type=file]").files = event.dataTransfer.files;
  drop.requestSubmit();
});
