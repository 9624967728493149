// Correct the words of a recording: a form at a word; the next doubtful one; everywhere; undone.
import { address, announce, askJson, clock, counted, send } from "./shell.js";

const form = document.getElementById("correct");
const box = document.getElementById("correct-words");
const note = document.getElementById("correct-note");
const everywhere = document.getElementById("everywhere");

/** Let people correct; `words` is what `makeWords` gave, `reload` shows the words again. */
export function makeCorrections(path, words, reload) {
  let stretch = null; // of words that are being corrected
  const made = []; // times of the corrections of this page, for undo

  function open(first, last = first) {
    stretch = words.stretch(first, last);
    if (!stretch) return; // no words
    box.value = stretch.text;
    note.textContent = "";
    everywhere.hidden = true;
    document.getElementById("correct-label").textContent = `Said at ${clock(stretch.fromS)}`;
    document.getElementById("correct-undo").hidden = !stretch.corrected;
    form.hidden = false;
    words.placeAt(form, first);
    box.focus();
    box.select();
  }

  function close({ back = true } = {}) {
    form.hidden = true;
    if (back && stretch) words.goTo(stretch.first);
  }

  async function change(work, said) {
    try {
      await work();
      const at = stretch?.first ?? 0;
      form.hidden = true;
      await reload();
      words.goTo(at);
      announce(said);
    } catch (error) {
      note.textContent = error.message;
      announce(error.message);
    }
  }

  function keep() {
    const { fromS, toS, text } = stretch;
    const said = box.value.trim();
    if (said === text) { close(); return; }
    change(async () => {
      await send("POST", `${path}/corrections`, { from: fromS, to: toS, words: said, before: text });
      made.push(fromS);
    }, "corrected");
  }

  function undoAt(atS) {
    change(() => askJson(`${path}/corrections?at=${atS.toFixed(3)}`, { method: "DELETE" }), "the correction is undone");
  }

  /** Show all places with the same words; those that stay ticked are corrected. */
  async function preview() {
    const { text } = stretch;
    const said = box.value.trim();
    try {
      const { places } = await askJson(`/api/corrections/places?before=${encodeURIComponent(text)}`);
      const rows = places.map((place) => {
        const tick = Object.assign(document.createElement("input"), { type: "checkbox", checked: true });
        const label = document.createElement("label");
        const mark = document.createElement("mark");
        mark.textContent = said || "nothing";
        label.append(tick, ` ${place.title} ${clock(place.start_s)}: ${place.context[0]} `, mark, ` ${place.context[2]}`);
        const row = document.createElement("li");
        row.append(label);
        return { place, tick, row };
      });
      document.getElementById("everywhere-count").textContent =
        `“${text}” is written at ${counted(places.length, "place")}.`;
      document.getElementById("everywhere-places").replaceChildren(...rows.map(({ row }) => row));
      everywhere.hidden = false;
      document.getElementById("everywhere-keep").onclick = () => {
        const chosen = rows.filter(({ tick }) => tick.checked)
          .map(({ place }) => ({ recording: place.recording, start_s: place.start_s }));
        if (!chosen.length) return;
        change(() => send("POST", "/api/corrections", { before: text, after: said, places: chosen }),
          `${counted(chosen.length, "place")} corrected`);
      };
      document.getElementById("everywhere-keep").focus();
    } catch (error) { note.textContent = error.message; }
  }

  form.addEventListener("submit", (event) => { event.preventDefault(); keep(); });
  form.addEventListener("keydown", (event) => {
    if (event.key === "Escape") { event.preventDefault(); event.stopPropagation(); close(); }
  });
  document.getElementById("correct-cancel").addEventListener("click", () => close());
  document.getElementById("correct-undo").addEventListener("click", () => undoAt((stretch.fromS + stretch.toS) / 2));
  document.getElementById("correct-everywhere").addEventListener("click", preview);
  const doubtful = (by) => {
    const i = words.nextDoubtful(by);
    if (i < 0) announce("no doubtful word"); else words.goTo(i);
  };
  document.getElementById("doubtful").addEventListener("click", () => doubtful(1));
  document.getElementById("correct-open").addEventListener("click", () => open(...words.chosen()));
  return {
    keys: {
      c: () => open(...words.chosen()),
      d: () => doubtful(1), D: () => doubtful(-1),
      u: () => { if (made.length) undoAt(made.pop()); else announce("no correction of this page to undo"); },
    },
  };
}

/** Save a transcript; it may need the token. */
export async function saveTranscript(link, ask) {
  const answer = await ask(new URL(link.href).pathname.slice(address("").length) + new URL(link.href).search);
  const file = document.createElement("a");
  file.href = URL.createObjectURL(await answer.blob());
  file.download = decodeURIComponent(/filename\*=UTF-8''(.*)/u.exec(answer.headers.get("Content-Disposition"))[1]);
  file.click();
  setTimeout(() => URL.revokeObjectURL(file.href), 10_000);
  announce("saved");
}
