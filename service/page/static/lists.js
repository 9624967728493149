// A list of terms, pasted or from a file, counted by year and recording.
import { about, address, announce, ask, counted } from "./shell.js";

const note = document.getElementById("list-note");
const table = document.getElementById("counts-table");
let last = null; // the request whose counts are shown

function request(accept) {
  const [file] = document.getElementById("list-file").files;
  const query = new URLSearchParams({ min_probability: document.getElementById("list-least").value });
  const column = document.getElementById("list-column").value.trim();
  if (column) query.set("column", column);
  if (file) query.set("name", file.name);
  const body = file ?? document.getElementById("terms").value;
  return { path: `/api/counts?${query}`, options: { method: "POST", body, headers: { "Content-Type": file ? "application/octet-stream" : "text/plain", Accept: accept } } };
}

function cell(tag, text, scope = "") {
  const one = document.createElement(tag);
  one.append(text);
  if (scope) one.scope = scope;
  return one;
}

function row(cells) {
  const one = document.createElement("tr");
  one.append(...cells);
  return one;
}

function link(text, query) {
  const one = document.createElement("a");
  one.href = address(`/?${query}`);
  one.textContent = text;
  return one;
}

function show({ terms, years, min_probability: least, column }) {
  const search = (term) => new URLSearchParams({ term, min_probability: least });
  const head = document.createElement("thead");
  head.append(row(["term", "hits", "of them right", "recordings", ...years].map((name) => cell("th", name, "col"))));
  const body = document.createElement("tbody");
  body.append(...terms.map((one) => {
    const counts = years.map((year) => {
      const hits = one.by_year[year] ?? 0;
      if (!hits || !/^\d{4}$/u.test(year)) return cell("td", String(hits || "·"));
      const query = search(one.term);
      query.set("where", `date:${year}..${year}`);
      return cell("td", link(hits, query));
    });
    return row([cell("th", link(one.term, search(one.term)), "row"), cell("td", String(one.hits)),
      cell("td", one.expected_right === 0 ? "0" : about(one.expected_right)), cell("td", String(one.recordings)), ...counts]);
  }));
  table.replaceChildren(head, body);
  document.getElementById("counts").hidden = false;
  const hits = terms.reduce((sum, one) => sum + one.hits, 0);
  note.textContent = `${counted(terms.length, "term")}${column ? ` from the column ${column}` : ""}, ${counted(hits, "hit")}.`;
}

document.getElementById("count-list").addEventListener("submit", async (event) => {
  event.preventDefault();
  last = request("application/json");
  note.textContent = "counting …";
  try {
    show(await (await ask(last.path, last.options)).json());
  } catch (error) {
    note.textContent = error.message;
    document.getElementById("counts").hidden = true;
  }
});

document.getElementById("counts-csv").addEventListener("click", async () => {
  try {
    const { path, options } = last;
    const answer = await ask(path, { ...options, headers: { ...options.headers, Accept: "text/csv" } });
    const file = document.createElement("a");
    file.href = URL.createObjectURL(await answer.blob());
    file.download = "counts.csv";
    file.click();
    announce("saved");
  } catch (error) { note.textContent = error.message; }
});
