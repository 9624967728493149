// Recordings that people add: files are sent one after another, then recognised and indexed there.
import { address, announce, ask, askForTokenAfter, askJson, send, token } from "./shell.js";

const LOOK_MS = 2000;
const FIELDS = ["title", "date", "speaker"]; // that every form has
const STATES = {
  waiting: "waits to be recognised", recognising: "is being recognised", indexing: "is being indexed",
  ready: "can be searched", failed: "failed",
};
const place = document.getElementById("adding");
const list = document.getElementById("uploads");
const gone = document.getElementById("deleted");
const note = document.getElementById("adding-note");
const rows = new Map(); // by name
const waiting = []; // files that are not sent yet
let sending = false;
let maxBytes = Infinity;

function make(tag, properties = {}, ...content) {
  const one = Object.assign(document.createElement(tag), properties);
  one.append(...content);
  return one;
}

function size(bytes) {
  return bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

// --- sending

function add(files) {
  for (const file of files) waiting.push({ file, row: makeRow(file.name) });
  if (!sending) sendAll();
}

async function sendAll() {
  sending = true;
  while (waiting.length) {
    const { file, row } = waiting.shift();
    try {
      if (file.size > maxBytes) throw new Error(`a file may have at most ${size(maxBytes)}`);
      await sendFile(file, (share) => say(row, `${Math.round(100 * share)} % of ${size(file.size)} sent`, share));
      row.item.remove();
      announce(`${file.name} is added`);
    } catch (error) {
      say(row, `not added: ${error.message}`);
      row.item.classList.add("failed");
      announce(`${file.name}: ${error.message}`);
    }
    await look();
  }
  sending = false;
}

async function sendFile(file, progress) {
  const known = await token();
  const { status, response } = await post(file, known, progress);
  if (status === 401) {
    await askForTokenAfter(known);
    await sendFile(file, progress);
  } else if (status !== 201) {
    let detail = `the service answered with status ${status}`;
    try { detail = JSON.parse(response).detail; } catch { /* as it is */ }
    throw new Error(detail);
  }
}

/** Post a file; fetch would not say how much of it has gone. */
function post(file, known, progress) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", address(`/api/uploads?name=${encodeURIComponent(file.name)}`));
    request.setRequestHeader("Content-Type", "application/octet-stream");
    if (known) request.setRequestHeader("Authorization", `Bearer ${known}`);
    request.upload.addEventListener("progress", ({ loaded, total }) => progress(loaded / total));
    request.addEventListener("error", () => reject(new Error("the file could not be sent")));
    request.addEventListener("load", () => resolve(request));
    request.send(file);
  });
}

// --- what there is

function makeRow(name) {
  const row = {
    title: make("span", { className: "name" }, name), state: make("span", { className: "state" }),
    share: make("progress", { max: 1, hidden: true }), more: make("span", { className: "more" }),
  };
  row.share.setAttribute("aria-label", `progress of ${name}`);
  row.item = make("li", {}, row.title, " ", row.state, " ", row.share, row.more);
  list.prepend(row.item);
  return row;
}

function say(row, text, share = null) {
  if (row.state.textContent !== text) row.state.textContent = text;
  row.share.hidden = share === null;
  if (share !== null) row.share.value = share;
}

function show(upload) {
  let row = rows.get(upload.name);
  if (!row) {
    row = makeRow(upload.name);
    rows.set(upload.name, row);
    row.more.append(describing(upload), removing(upload));
  }
  const title = upload.metadata.title || upload.name;
  const content = upload.recording_id && upload.state === "ready"
    ? make("a", { href: address(`/recordings/${encodeURIComponent(upload.recording_id)}`) }, title) : title;
  row.title.replaceChildren(content);
  row.item.classList.toggle("failed", upload.state === "failed");
  const text = STATES[upload.state] + (upload.detail ? `: ${upload.detail}` : "");
  say(row, text, upload.state === "recognising" ? upload.done : null);
}

function describing(upload) {
  const form = make("form", { className: "describe" });
  let seen = { ...upload.metadata }; // only what a person changes is sent: others may change the rest
  const names = [...new Set([...FIELDS, ...Object.keys(upload.metadata)])];
  for (const name of names) {
    const id = `field-${upload.name}-${name}`;
    const field = make("input", { id, name, value: upload.metadata[name] ?? "", autocomplete: "off" });
    if (name === "date") field.placeholder = "2024-01-31";
    form.append(make("label", { htmlFor: id }, name), field);
  }
  const said = make("p", { role: "status" });
  form.append(make("button", {}, "Save"), said);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const changed = Object.fromEntries([...new FormData(form)].filter(([name, value]) => value !== (seen[name] ?? "")));
    try {
      if (Object.keys(changed).length) {
        await send("PATCH", `/api/uploads/${encodeURIComponent(upload.name)}`, { metadata: changed });
        seen = { ...seen, ...changed };
      }
      said.textContent = "saved";
      look();
    } catch (error) { said.textContent = error.message; }
  });
  const summary = make("summary", {}, "Describe");
  summary.setAttribute("aria-label", `Describe ${upload.name}`);
  return make("details", {}, summary, form);
}

function removing(upload) {
  const button = make("button", { type: "button", className: "quiet" }, "Delete");
  button.setAttribute("aria-label", `Delete ${upload.name}`);
  button.addEventListener("click", async () => {
    try {
      await ask(`/api/uploads/${encodeURIComponent(upload.name)}`, { method: "DELETE" });
      await look();
      gone.querySelector("button")?.focus();
      announce(`${upload.name} is deleted and can be restored`);
    } catch (error) { note.textContent = error.message; }
  });
  return button;
}

function showDeleted(names) {
  const key = names.join("\n");
  if (gone.dataset.key === key) return;
  gone.dataset.key = key;
  gone.replaceChildren(...names.map((name) => {
    const button = make("button", { type: "button", className: "quiet" }, "Restore");
    button.setAttribute("aria-label", `Restore ${name}`);
    button.addEventListener("click", async () => {
      try {
        await send("POST", `/api/uploads/${encodeURIComponent(name)}/restore`, {});
        announce(`${name} is back`);
        look();
      } catch (error) { note.textContent = error.message; }
    });
    return make("li", {}, `${name} was deleted `, button);
  }));
}

let again = 0;

async function look() {
  clearTimeout(again);
  try {
    const { uploads, deleted, ends, trouble, max_bytes: most } = await askJson("/api/uploads");
    maxBytes = most;
    document.getElementById("files").accept = ends.join(",");
    const names = new Set(uploads.map(({ name }) => name));
    for (const [name, row] of rows) if (!names.has(name)) { row.item.remove(); rows.delete(name); }
    uploads.forEach(show);
    showDeleted(deleted);
    note.textContent = trouble;
    const isMoving = uploads.some(({ state }) => !["ready", "failed"].includes(state));
    again = setTimeout(look, isMoving ? LOOK_MS : 10 * LOOK_MS);
  } catch (error) {
    note.textContent = error.message;
    again = setTimeout(look, 10 * LOOK_MS);
  }
}

if (place) {
  const drop = place.querySelector(".drop");
  const files = document.getElementById("files");
  files.addEventListener("change", () => { add(files.files); files.value = ""; });
  for (const event of ["dragenter", "dragover"]) {
    drop.addEventListener(event, (what) => { what.preventDefault(); drop.classList.add("over"); });
  }
  drop.addEventListener("dragleave", () => drop.classList.remove("over"));
  drop.addEventListener("drop", (event) => {
    event.preventDefault();
    drop.classList.remove("over");
    add(event.dataTransfer.files);
  });
  look();
}
