// The words of a recording: click to play from there, hover or focus to see what competes with one.
import { clock } from "./shell.js";

const PAUSE_S = 0.35; // between two words: a new line of time
const COLOURS = 6; // of speakers
const FRAMES = 4; // in which paragraphs get their heights
const PARAGRAPH = 60; // words, after which a pause begins a new paragraph; the browser lays out those in view

/** Show words; `seek` is called with seconds. Returns what follows the sound. */
export function makeWords(place, table, given, seek) {
  let words = given;
  let reachable = 0; // the one word that Tab reaches
  let spans = [];
  let marked = []; // those of hits
  draw();

  function draw() {
    [spans, marked] = [[], []];
    const content = document.createDocumentFragment();
    let [endS, begin, paragraph] = [-Infinity, 0, null];
    const speakers = [...new Set(words.map(({ speaker }) => speaker))].filter(Boolean);
    words.forEach((word, i) => {
      const isPause = word.start_s - endS > PAUSE_S;
      const isTurn = i > 0 && word.speaker !== words[i - 1].speaker;
      if (!paragraph || isTurn || i - begin >= (isPause ? PARAGRAPH : 3 * PARAGRAPH)) {
        paragraph = document.createElement("p");
        content.append(paragraph);
        begin = i;
        if (speakers.length > 1 && word.speaker) {
          paragraph.className = `speaker speaker-${speakers.indexOf(word.speaker) % COLOURS}`;
          if (i === 0 || isTurn) paragraph.append(nameOf(word.speaker));
        }
      }
      if (isPause) {
        const time = document.createElement("span");
        time.className = "at";
        time.textContent = clock(word.start_s);
        paragraph.append(i > begin ? "\n" : "", time);
      }
      const span = document.createElement("span");
      span.className = word.corrected ? "w corrected" : word.doubtful ? "w unsure" : "w";
      span.textContent = word.word;
      span.tabIndex = i === 0 ? 0 : -1;
      span.setAttribute("role", "button");
      span.dataset.i = i;
      spans.push(span);
      paragraph.append(span, " ");
      endS = word.start_s + word.duration_s;
    });
    place.replaceChildren(content);
    place.setAttribute("aria-busy", "false");
  }

  const number = (event) => {
    const span = event.target.closest(".w");
    return span ? Number(span.dataset.i) : -1;
  };

  function showAlternatives(i) {
    const word = words[i];
    const rows = [word, ...word.alternatives].slice(0, 8).map(({ word: name, posterior }) => {
      const row = document.createElement("tr");
      const [head, bar, share] = [document.createElement("th"), document.createElement("td"), document.createElement("td")];
      head.scope = "row";
      head.textContent = name;
      bar.append(makeBar(posterior));
      share.textContent = word.corrected ? "certain" : posterior < 0.01 ? "< 1 %" : `${Math.round(100 * posterior)} %`;
      row.append(head, bar, share);
      return row;
    });
    const list = document.createElement("table");
    list.createCaption().textContent = `${clock(word.start_s)}, ${word.corrected ? "as a person has corrected it" : "what the recogniser thought"}`;
    list.append(...rows);
    table.replaceChildren(list);
    table.hidden = false;
    const span = spans[i].getBoundingClientRect();
    const left = Math.min(span.left, innerWidth - table.offsetWidth - 8);
    table.style.left = `${Math.max(8, left) + scrollX}px`;
    table.style.top = `${span.bottom + 6 + scrollY}px`;
    spans[i].setAttribute("aria-describedby", table.id);
  }

  function hide() { table.hidden = true; }

  place.addEventListener("mouseover", (event) => { if (number(event) >= 0) showAlternatives(number(event)); });
  place.addEventListener("mouseout", hide);
  place.addEventListener("focusin", (event) => { if (number(event) >= 0) showAlternatives(number(event)); });
  place.addEventListener("focusout", hide);
  place.addEventListener("click", (event) => { if (number(event) >= 0) { goTo(number(event)); seek(words[number(event)].start_s, true); } });
  place.addEventListener("keydown", (event) => {
    const i = number(event);
    if (i < 0) return;
    const to = { ArrowRight: i + 1, ArrowLeft: i - 1, Home: 0, End: words.length - 1 }[event.key];
    if (to !== undefined) {
      event.preventDefault();
      event.stopPropagation();
      goTo(Math.min(words.length - 1, Math.max(0, to)));
    } else if (event.key === "Enter") {
      event.preventDefault();
      seek(words[i].start_s, true);
    }
  });

  /** Let Tab and keys that are about a word begin at one. */
  function reach(i) {
    spans[reachable].tabIndex = -1;
    reachable = i;
    spans[i].tabIndex = 0;
  }

  function goTo(i) {
    reach(i);
    spans[i].focus();
  }

  const middleS = (i) => words[i].start_s + words[i].duration_s / 2;

  /** The first word whose middle is not before a time. */
  function firstFrom(seconds) {
    let [low, high] = [0, words.length];
    while (low < high) {
      const at = (low + high) >> 1;
      if (middleS(at) < seconds) low = at + 1;
      else high = at;
    }
    return low;
  }

  let now = -1;
  return {
    /** Show other words in the place of these. */
    replace(others) {
      words = others;
      [reachable, now] = [0, -1];
      draw();
    },
    /** Go to a word: keys are about it. */
    goTo(i) {
      if (!spans.length) return;
      goTo(Math.min(spans.length - 1, Math.max(0, i)));
      bring(spans[reachable], "nearest");
    },
    /** The first and the last of the words that are selected, or the one that keys are about. */
    chosen() {
      const selection = getSelection();
      if (!selection.isCollapsed && place.contains(selection.anchorNode)) {
        const inside = spans.flatMap((span, i) => (selection.containsNode(span, true) ? [i] : []));
        if (inside.length) return [inside[0], inside.at(-1)];
      }
      return [reachable, reachable];
    },
    /** Words from one to another, and when they are said: from the start of the first slot on. */
    stretch(first, last) {
      if (!words.length) return null;
      const some = words.slice(first, last + 1);
      const end = some.at(-1).start_s + some.at(-1).duration_s;
      return {
        first, fromS: some[0].start_s, toS: end,
        text: some.map(({ word }) => word).join(" "), corrected: some.some(({ corrected }) => corrected),
      };
    },
    /** The next word that is doubtful, or the one before; -1: there is none. */
    nextDoubtful(by) {
      for (let i = reachable + by, n = 0; n < words.length; i += by, n += 1) {
        const at = (i + words.length) % words.length;
        if (words[at].doubtful) return at;
      }
      return -1;
    },
    /** The word that is said at a time; nothing if there are no words. */
    stretchAt(seconds) {
      if (!words.length) return null;
      const i = Math.min(words.length - 1, firstFrom(seconds));
      return this.stretch(i, i);
    },
    /** Show notes before the words of their times; `open` is called with one. */
    note(notes, open) {
      place.querySelectorAll("button.note").forEach((one) => one.remove());
      for (const span of spans) span.classList.remove("noted");
      for (const note of notes) {
        const button = document.createElement("button");
        Object.assign(button, { type: "button", className: "note", textContent: note.note.slice(0, 80), title: note.note });
        button.setAttribute("aria-label", `Note: ${note.note}`);
        button.addEventListener("click", () => open(note));
        const first = firstFrom(note.start);
        for (let i = first; i < words.length && middleS(i) <= note.end; i += 1) spans[i].classList.add("noted");
        if (spans[first]) spans[first].before(button);
        else place.append(button);
      }
    },
    /** Put something below the word of a time. */
    placeAtTime(one, seconds) {
      if (words.length) { this.placeAt(one, Math.min(words.length - 1, firstFrom(seconds))); return; }
      const { left, top } = place.getBoundingClientRect();
      one.style.left = `${left + scrollX}px`;
      one.style.top = `${top + scrollY}px`;
    },
    /** Put something below a word. */
    placeAt(one, i) {
      const span = spans[i].getBoundingClientRect();
      one.style.left = `${Math.max(8, Math.min(span.left, innerWidth - one.offsetWidth - 8)) + scrollX}px`;
      one.style.top = `${span.bottom + 6 + scrollY}px`;
    },
    /** Highlight the word that is said at a time; scroll to it if wanted. */
    follow(seconds, scroll) {
      let [low, high] = [0, words.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        if (words[middle].start_s <= seconds) low = middle + 1;
        else high = middle;
      }
      const i = low - 1;
      if (i === now) return;
      spans[now]?.classList.remove("now");
      now = i;
      spans[now]?.classList.add("now");
      if (scroll && spans[now]) {
        const { top, bottom } = spans[now].getBoundingClientRect();
        if (top < 60 || bottom > innerHeight - 60) bring(spans[now], "center");
      }
    },
    /** Highlight the words of hits, and of the hit that keys are about. */
    mark(hits, current) {
      for (const span of marked) span.classList.remove("hit-word", "current");
      marked = [];
      for (const hit of current && !hits.includes(current) ? [...hits, current] : hits) {
        for (let i = firstFrom(hit.startS); i < words.length && middleS(i) <= hit.endS; i += 1) {
          spans[i].classList.add("hit-word");
          if (hit === current) spans[i].classList.add("current");
          marked.push(spans[i]);
        }
      }
    },
    /** The places of a text among the words: runs of words of which the last begins as the text
     * does; in the letters of any case. */
    find(text) {
      const wanted = plain(text).split(/\s+/u).filter(Boolean);
      spans.forEach((span) => span.classList.remove("found-word", "here"));
      if (!wanted.length) return [];
      const said = words.map(({ word }) => plain(word));
      const places = [];
      for (let i = 0; i + wanted.length <= said.length; i += 1) {
        const last = wanted.length - 1;
        const fits = wanted.every((word, k) => (k === last ? said[i + k].startsWith(word) : said[i + k] === word));
        if (fits) places.push({ first: i, end: i + wanted.length, startS: words[i].start_s });
      }
      for (const { first, end } of places) spans.slice(first, end).forEach((span) => span.classList.add("found-word"));
      return places;
    },
    /** Show one of the places that `find` gave. */
    showFound({ first, end }) {
      spans.forEach((span) => span.classList.remove("here"));
      spans.slice(first, end).forEach((span) => span.classList.add("here"));
      reach(first);
      bring(spans[first], "center");
    },
    /** Bring the words at a time into view. */
    reveal(seconds) {
      const i = firstFrom(seconds); // not the word that ends there
      if (i === words.length) return;
      reach(i);
      bring(spans[i], "center");
    },
  };
}

/** Bring a word into view; paragraphs have their true heights only when they are in view. */
function bring(span, block, frames = FRAMES) {
  span.scrollIntoView({ block, behavior: "instant" });
  if (frames) requestAnimationFrame(() => bring(span, block, frames - 1));
}

function nameOf(speaker) {
  return Object.assign(document.createElement("span"), { className: "who", textContent: `${speaker} ` });
}

function plain(text) {
  return text.normalize("NFC").toLocaleLowerCase();
}

function makeBar(share) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 100 6");
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("class", "bar");
  svg.setAttribute("aria-hidden", "true");
  for (const [name, width] of [["rest", 100], ["share", 100 * share]]) {
    const rect = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    rect.setAttribute("class", name);
    rect.setAttribute("width", width);
    rect.setAttribute("height", 6);
    svg.append(rect);
  }
  return svg;
}
