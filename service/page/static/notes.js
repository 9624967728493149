// Notes of people at times of a recording: at their words, in a list, and a form to write them.
import { remember, showPast } from "./marks.js";
import { announce, askJson, clock, send } from "./shell.js";

const form = document.getElementById("note");
const box = document.getElementById("note-text");
const said = document.getElementById("note-said");
const remove = document.getElementById("note-delete");
const section = document.getElementById("notes");

/** Show the notes of a recording and let people write them; `words` is what `makeWords` gave. */
export function makeNotes(recording, words, audio, seek) {
  let notes = [];
  let open = null; // the note in the form: its place, and what was seen of it
  let opener = null;

  async function load() {
    const asked = new URLSearchParams({ kind: "note", recording });
    notes = await askJson(`/api/feedback?${asked}`);
    notes.sort((one, other) => one.start - other.start || one.end - other.end);
    show();
  }

  function show() {
    words.note(notes, write);
    section.hidden = !notes.length;
    section.querySelector("ol").replaceChildren(...notes.map(rowOf));
  }

  function rowOf(note) {
    const row = document.createElement("li");
    Object.assign(row.dataset, { recording, term: "", start: note.start, end: note.end });
    const time = button(clock(note.start), () => seek(note.start, true));
    time.setAttribute("aria-label", `play from ${clock(note.start)}`);
    const text = Object.assign(document.createElement("span"), { className: "note-text", textContent: note.note });
    const who = document.createElement("span");
    who.className = "count";
    who.textContent = [note.author, day(note.time)].filter(Boolean).join(", ");
    const past = button("History", () => showPast(row, load));
    past.classList.add("past");
    past.setAttribute("aria-expanded", "false");
    const change = button("Change", () => write(note));
    change.classList.add("change");
    row.append(time, " ", text, " ", who, " ", change, past);
    return row;
  }

  /** Open the form at a note, or where a new one goes: the selected words, or the word of keys. */
  function write(note = null) {
    opener = document.activeElement;
    const place = note ?? placeOf();
    const known = notes.find(({ start, end }) => start === place.start && end === place.end);
    open = { start: place.start, end: place.end, version: known?.version ?? "0" };
    box.value = known?.note ?? "";
    said.textContent = "";
    remove.hidden = !known;
    document.getElementById("note-label").textContent = `Note at ${clock(open.start)}`;
    form.hidden = false;
    words.placeAtTime(form, open.start);
    box.focus();
  }

  function placeOf() {
    const chosen = audio.paused ? words.stretch(...words.chosen()) : words.stretchAt(audio.currentTime);
    const [fromS, toS] = chosen ? [chosen.fromS, chosen.toS] : [audio.currentTime, audio.currentTime];
    return { start: rounded(fromS), end: rounded(toS) };
  }

  function close() {
    form.hidden = true;
    if (opener?.isConnected) opener.focus();
  }

  async function change(method, more, done) {
    const { version, ...place } = open;
    try {
      const kept = await send(method, "/api/feedback", { recording, ...place, ...more }, { "If-Match": `"${version}"` });
      remember(kept.change);
      close();
      announce(done);
      await load();
      if (!opener?.isConnected) document.getElementById("note-open").focus(); // the list is new
    } catch (error) {
      if (error.status === 412) open.version = error.problem.version; // seen now; Keep replaces it
      said.textContent = error.message;
      announce(error.message);
    }
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (box.value.trim()) change("POST", { note: box.value.trim() }, "note saved");
  });
  form.addEventListener("keydown", (event) => {
    if (event.key === "Escape") { event.preventDefault(); event.stopPropagation(); close(); }
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); form.requestSubmit(); }
  });
  remove.addEventListener("click", () => change("DELETE", {}, "note deleted"));
  document.getElementById("note-cancel").addEventListener("click", close);
  document.getElementById("note-open").addEventListener("click", () => write());
  document.addEventListener("notes", load); // a change of one was undone
  return { load, show, keys: { a: () => write() } };
}

function button(text, pressed) {
  const made = Object.assign(document.createElement("button"), { type: "button", className: "quiet", textContent: text });
  made.addEventListener("click", pressed);
  return made;
}

function rounded(seconds) {
  return Math.round(1000 * seconds) / 1000;
}

function day(time) {
  return new Date(time).toLocaleDateString([], { dateStyle: "medium" });
}
