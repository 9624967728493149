// Words of the index while a person types, and which words the recogniser does not know.
import { announce, askJson } from "./shell.js";

const WAIT_MS = 120;

/** Give a text box hints; `done` is called when the person presses Enter without choosing one. */
export function addHints(box, list, note, done) {
  let timer = 0;
  let request = null;
  let chosen = -1;
  let begun = ""; // the unfinished word that the shown hints are for

  const unfinishedWord = (text) => text.split(/[\s,]/u).at(-1).toLowerCase();
  const options = () => [...list.children];

  function close() {
    list.hidden = true;
    chosen = -1;
    box.removeAttribute("aria-activedescendant");
  }

  function choose(number) {
    chosen = (number + options().length) % options().length;
    options().forEach((option, i) => option.setAttribute("aria-selected", String(i === chosen)));
    box.setAttribute("aria-activedescendant", options()[chosen].id);
  }

  function take(option) {
    const end = box.selectionStart;
    const before = box.value.slice(0, end).replace(/[^\s,]*$/u, "");
    box.value = before + option.dataset.word + box.value.slice(end);
    box.setSelectionRange(before.length + option.dataset.word.length, before.length + option.dataset.word.length);
    close();
    look({ quiet: true });
  }

  function show(words) {
    list.replaceChildren(...words.map(({ word, count }, i) => {
      const option = document.createElement("li");
      option.id = `hint-${i}`;
      option.setAttribute("role", "option");
      option.setAttribute("aria-selected", "false");
      option.dataset.word = word;
      const name = document.createElement("span");
      name.textContent = word;
      const number = document.createElement("span");
      number.className = "count";
      number.textContent = count;
      number.title = "times recognised, likely or not";
      option.append(name, number);
      option.addEventListener("pointerdown", (event) => { event.preventDefault(); take(option); });
      return option;
    }));
    list.hidden = !words.length || document.activeElement !== box;
    if (words.length) announce(`${words.length} hints`);
    chosen = -1;
  }

  async function look({ quiet = false } = {}) {
    request?.abort();
    request = new AbortController();
    const text = box.value.slice(0, box.selectionStart);
    const options = { signal: request.signal };
    try {
      const [hints, whole] = await Promise.all([
        askJson(`/api/words?text=${encodeURIComponent(text)}`, options),
        askJson(`/api/words?limit=1&text=${encodeURIComponent(box.value)}`, options),
      ]);
      const typed = unfinishedWord(text);
      const words = typed && !quiet ? hints.words.filter(({ word }) => word !== typed) : [];
      show(words);
      begun = typed;
      const unfinished = new Set(hints.words.length ? [typed] : []); // still being typed
      const unknown = whole.unknown.filter((word) => !unfinished.has(word));
      note.textContent = unknown.length === 0 ? ""
        : `The recogniser does not know ${unknown.map((word) => `“${word}”`).join(", ")}: `
          + `searching by ${unknown.length === 1 ? "its" : "their"} parts and sound.`;
    } catch (error) {
      if (error.name !== "AbortError") note.textContent = error.message;
    }
  }

  box.addEventListener("input", () => {
    if (!unfinishedWord(box.value.slice(0, box.selectionStart)).startsWith(begun)) close(); // of another word
    clearTimeout(timer);
    timer = setTimeout(look, WAIT_MS);
  });
  box.addEventListener("blur", close);
  box.addEventListener("keydown", (event) => {
    const open = !list.hidden;
    if (open && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
      event.preventDefault();
      choose(event.key === "ArrowDown" ? chosen + 1 : chosen < 0 ? -1 : chosen - 1);
    } else if (open && event.key === "Escape") {
      event.preventDefault();
      close();
    } else if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      if (open && chosen >= 0) take(options()[chosen]);
      else { close(); clearTimeout(timer); request?.abort(); done(); }
    } else if (open && event.key === "Tab" && chosen >= 0) {
      event.preventDefault();
      take(options()[chosen]);
    }
  });
  return { close };
}
