// The view of a recording: sound, waveform, spectrogram, words; the hits of a search on all of them.
import { makeCorrections, saveTranscript } from "./corrections.js";
import { mark, undoMark } from "./marks.js";
import { makeNotes } from "./notes.js";
import { address, announce, ask, askJson, audioAddress, clock, isTyping } from "./shell.js";
import { makeWave } from "./wave.js";
import { makeWords } from "./words.js";

const BEFORE_S = 1;
const AROUND_S = 2; // of a hit, in the spectrogram
const HERE_S = 0.05; // between the place in the address and a hit that is meant
const OVERVIEW = 4000; // amplitudes of the whole recording
const CLOSER = 4; // times, by a step
const MOST_HITS = 20_000;
const id = document.body.dataset.recording;
const path = `/api/recordings/${encodeURIComponent(id)}`;
const query = new URLSearchParams(location.search);
const audio = document.getElementById("audio");
const follow = document.getElementById("follow");
let wave = null;
let words = null;
let hits = []; // of the search, in the order of time
let current = null;
let corrections = null; // where people may correct
let notes = null;

function trouble(error) {
  const place = document.getElementById("trouble");
  place.textContent = error.message;
  place.hidden = false;
}

function seek(seconds, play = false) {
  if (!audio.getAttribute("src")) return;
  audio.currentTime = seconds;
  moved();
  if (play) audio.play().catch(() => announce("this audio cannot be played"));
}

function moved() {
  wave?.at(audio.currentTime);
  words?.follow(audio.currentTime, follow.checked && !audio.paused);
  repeatAtEnd();
}

/** Make a hit the one that keys, words and spectrogram are about. */
async function select(hit, { move = true } = {}) {
  current = hit;
  const at = hits.indexOf(hit);
  document.getElementById("previous").disabled = at <= 0;
  document.getElementById("next").disabled = at < 0 || at === hits.length - 1;
  document.getElementById("loop").disabled = false;
  words?.mark(hits, hit);
  showMark();
  document.getElementById("hit-caption").textContent =
    `Hit ${at + 1} of ${hits.length}: ${hit.dataset.term} at ${clock(hit.startS)}, ${Math.round(100 * hit.probability)} % likely`;
  if (move) {
    seek(Math.max(0, hit.startS - BEFORE_S));
    words?.reveal(hit.startS);
    query.set("at", hit.startS.toFixed(2));
    query.set("until", hit.endS.toFixed(2));
    history.replaceState(null, "", `?${query}`);
    announce(`hit ${at + 1} of ${hits.length}, ${clock(hit.startS)}`);
  }
  showEmbed();
  if (audio.getAttribute("src")) await showSpectrum(hit).catch(() => { document.getElementById("spectrum").hidden = true; });
}

let pictureOf = null;

async function showSpectrum(hit) {
  pictureOf = hit;
  const fromS = Math.max(0, hit.startS - AROUND_S);
  const toS = hit.endS + AROUND_S;
  const answer = await ask(`${path}/spectrogram?from=${fromS.toFixed(3)}&to=${toS.toFixed(3)}`);
  const content = await answer.blob();
  if (pictureOf !== hit) return;
  const picture = document.getElementById("picture");
  if (picture.src) URL.revokeObjectURL(picture.src);
  picture.src = URL.createObjectURL(content);
  const span = document.getElementById("span");
  span.style.left = `${100 * (hit.startS - fromS) / (toS - fromS)}%`;
  span.style.width = `${100 * (hit.endS - hit.startS) / (toS - fromS)}%`;
  document.getElementById("spectrum-caption").textContent =
    `${fromS.toFixed(1)} s to ${toS.toFixed(1)} s, frequencies up to 8 kHz`;
  document.getElementById("spectrum").hidden = false;
}

/** HTML that shows the current hit on another page. */
async function showEmbed() {
  const part = document.getElementById("embed");
  if (!part?.open || !current) return;
  const place = new URLSearchParams(query.getAll("term").map((term) => ["term", term]));
  place.set("at", current.startS.toFixed(3));
  place.set("until", current.endS.toFixed(3));
  const text = document.getElementById("embed-html");
  try {
    const asked = new URLSearchParams({ url: `/recordings/${encodeURIComponent(id)}?${place}` });
    text.value = (await askJson(`/api/oembed?${asked}`)).html;
  } catch (error) {
    text.value = error.message;
  }
}

/** The hit after or before the current one; without one, after or before what is heard. */
function step(by) {
  const now = audio.currentTime;
  const hit = current ? hits[hits.indexOf(current) + by]
    : by > 0 ? hits.find(({ startS }) => startS > now) : hits.findLast(({ startS }) => startS < now);
  if (hit) select(hit);
}

// --- find in the words

let found = [];
let foundAt = -1;

function find() {
  found = words?.find(document.getElementById("find").value) ?? [];
  foundAt = -1;
  showFound(0);
}

/** Go on among what was found; beyond the end it begins again. */
function showFound(by) {
  const typed = document.getElementById("find").value.trim();
  for (const name of ["found-before", "found-next"]) document.getElementById(name).disabled = !found.length;
  if (found.length && by) {
    foundAt = (foundAt < 0 && by < 0 ? found.length - 1 : foundAt + by + found.length) % found.length;
    words.showFound(found[foundAt]);
    seek(found[foundAt].startS);
  }
  const count = foundAt < 0 ? `${found.length} found` : `${foundAt + 1} of ${found.length}`;
  document.getElementById("found").textContent = typed ? count : "";
}

// --- speed, and a hit again and again

const speed = document.getElementById("speed");
const loop = document.getElementById("loop");
const LOOP_AROUND_S = 0.3;

function faster(by) {
  speed.selectedIndex = Math.min(speed.options.length - 1, Math.max(0, speed.selectedIndex + by));
  audio.playbackRate = Number(speed.value);
  announce(`speed ${speed.value}`);
}

function repeat() {
  if (!current) return;
  const isOn = loop.getAttribute("aria-pressed") !== "true";
  loop.setAttribute("aria-pressed", String(isOn));
  announce(isOn ? "the hit is repeated" : "the hit is not repeated");
  if (isOn) seek(Math.max(0, current.startS - LOOP_AROUND_S), true);
}

/** Begin the hit again at its end. */
function repeatAtEnd() {
  if (loop.getAttribute("aria-pressed") !== "true" || !current || audio.paused) return;
  if (audio.currentTime > current.endS + LOOP_AROUND_S) seek(Math.max(0, current.startS - LOOP_AROUND_S));
}

function judge(right) {
  if (!current) return;
  mark(current, right, (before, now, kept, error) => {
    if (error) trouble(error);
    showMark();
  });
}

/** What the buttons say of the current hit. */
function showMark() {
  const right = current?.dataset.right;
  document.getElementById("judge").hidden = !current;
  document.getElementById("right").setAttribute("aria-pressed", String(right === "true"));
  document.getElementById("wrong").setAttribute("aria-pressed", String(right === "false"));
}

async function loadHits() {
  if (!query.has("term")) return;
  const asked = new URLSearchParams(query.getAll("term").map((term) => ["term", term]));
  asked.set("recording", id);
  asked.set("sort", "time");
  asked.set("limit", "500");
  asked.set("min_probability", query.get("min_probability") ?? "0.05");
  for (const name of ["where", "channel", "within_words", "inflections"]) query.getAll(name).forEach((value) => asked.append(name, value));
  let cursor = "";
  const found = [];
  do { // a recording of hours may have thousands
    asked.set("cursor", cursor);
    const answer = await askJson(`/api/search?${asked}`);
    found.push(...answer.hits);
    cursor = answer.next_cursor;
  } while (cursor !== null && found.length < MOST_HITS);
  hits = found.map((hit) => ({
    startS: hit.start_s, endS: hit.start_s + hit.duration_s, probability: hit.probability,
    // As the list of results has them, so that marks work on both.
    dataset: { term: hit.term, recording: id, start: hit.start_s, end: hit.start_s + hit.duration_s, right: hit.right === null ? "" : String(hit.right), version: hit.mark_version },
    querySelector: () => null,
  }));
}

async function loadSound(known) {
  document.querySelector(".sound").hidden = !known.has_audio;
  if (!known.has_audio) return;
  audio.src = await audioAddress(id);
  if (current) select(current); // chosen before there was sound
  const { duration_s: durationS, peaks } = await computedPeaks();
  const load = async (fromS, toS, count) => (await askJson(`${path}/peaks?from=${fromS}&to=${toS}&count=${count}`)).peaks;
  wave = makeWave(document.getElementById("wave"), durationS, peaks, load, (seconds) => seek(seconds), showSpan);
}

/** The waveform; while the service computes that of a long recording, how far it is. */
async function computedPeaks() {
  const span = document.getElementById("wave-span");
  const lengthS = () => (Number.isFinite(audio.duration) ? audio.duration : Infinity);
  for (;;) {
    const answer = await ask(`${path}/peaks?count=${OVERVIEW}`);
    const found = await answer.json();
    if (answer.status !== 202) return found;
    span.textContent = `computing the waveform: ${Math.min(99, Math.round(100 * found.done_s / lengthS()))} %`;
    await new Promise((resolve) => { setTimeout(resolve, 1000 * answer.headers.get("Retry-After")); });
  }
}

/** Say which stretch the waveform shows. */
function showSpan(fromS, toS, isAll) {
  for (const name of ["wider", "whole"]) document.getElementById(name).disabled = isAll;
  document.getElementById("wave-span").textContent = isAll ? "" : `${clock(fromS)} to ${clock(toS)}`;
}

const unshown = new Set(["title", "audio_bytes", "audio_hash", "audio_s", "audio_channels"]); // facts of the file

function showMetadata(known) {
  document.getElementById("title").textContent = known.title;
  document.title = `${known.title} · Spoken terms`;
  const rows = Object.entries(known.metadata).filter(([name]) => !unshown.has(name)).map(([name, value]) => {
    const [row, term, text] = ["div", "dt", "dd"].map((tag) => document.createElement(tag));
    term.textContent = name;
    text.textContent = value;
    row.append(term, text);
    return row;
  });
  document.getElementById("metadata").replaceChildren(...rows);
}

/** Show the words as they are now, with the hits. */
async function reloadWords() {
  const [{ words: said }] = await Promise.all([askJson(`${path}/words`), loadHits().catch(trouble)]);
  words.replace(said);
  current = current && hits.find((hit) => Math.abs(hit.startS - current.startS) <= HERE_S);
  words.mark(hits, current);
  notes?.show();
  wave?.mark(hits);
}

async function start() {
  const back = new URLSearchParams(query);
  back.delete("at");
  back.delete("until");
  document.getElementById("back").href = address(`/?${back}`);
  try {
    const known = await askJson(path);
    showMetadata(known);
    const sound = loadSound(known).catch(trouble);
    const [{ words: said }] = await Promise.all([askJson(`${path}/words`), loadHits().catch(trouble)]);
    words = makeWords(document.getElementById("words"), document.getElementById("alternatives"), said, seek);
    if (document.getElementById("correct")) corrections = makeCorrections(path, words, reloadWords);
    notes = makeNotes(id, words, audio, seek);
    notes.load().catch(trouble);
    const atS = Number(query.get("at") ?? hits[0]?.startS ?? 0) || 0;
    const meant = hits.find((hit) => Math.abs(hit.startS - atS) <= HERE_S);
    if (meant) await select(meant);
    else {
      for (const name of ["previous", "next"]) document.getElementById(name).disabled = !hits.length;
      if (atS) { seek(atS); words.reveal(atS); }
    }
    await sound;
    wave?.mark(hits);
    moved();
  } catch (error) {
    trouble(error);
  }
}

for (const event of ["timeupdate", "seeked", "loadedmetadata"]) audio.addEventListener(event, moved);
audio.addEventListener("play", () => {
  const tick = () => { if (!audio.paused) { moved(); requestAnimationFrame(tick); } };
  requestAnimationFrame(tick);
});
document.getElementById("previous").addEventListener("click", () => step(-1));
document.getElementById("next").addEventListener("click", () => step(1));
document.getElementById("find").addEventListener("input", find);
document.getElementById("find").addEventListener("keydown", (event) => {
  if (event.key === "Enter") { event.preventDefault(); showFound(event.shiftKey ? -1 : 1); }
  if (event.key === "Escape") event.target.blur();
});
document.getElementById("found-before").addEventListener("click", () => showFound(-1));
document.getElementById("found-next").addEventListener("click", () => showFound(1));
document.getElementById("embed")?.addEventListener("toggle", showEmbed);
document.getElementById("embed-html")?.addEventListener("focus", (event) => event.target.select());
speed.addEventListener("change", () => faster(0));
loop.addEventListener("click", repeat);
document.getElementById("back-5").addEventListener("click", () => seek(Math.max(0, audio.currentTime - 5)));
document.getElementById("on-5").addEventListener("click", () => seek(audio.currentTime + 5));
for (const [name, times] of [["closer", CLOSER], ["wider", 1 / CLOSER], ["whole", 0]]) {
  document.getElementById(name).addEventListener("click", () => wave?.zoom(times));
}
document.getElementById("right").addEventListener("click", () => judge(true));
document.getElementById("wrong").addEventListener("click", () => judge(false));
document.addEventListener("keydown", (event) => {
  if (isTyping(event)) return;
  const { key, target } = event;
  if ((key === " " || key === "Enter") && target.closest?.("a, button, input, audio, summary")) return;
  const actions = {
    " ": () => (audio.paused ? seek(audio.currentTime, true) : audio.pause()),
    j: () => step(1), k: () => step(-1),
    y: () => judge(true), n: () => judge(false),
    z: () => undoMark(hits, showMark),
    f: () => document.getElementById("find").focus(),
    "+": () => wave?.zoom(CLOSER), "-": () => wave?.zoom(1 / CLOSER), 0: () => wave?.zoom(0),
    l: repeat, "<": () => faster(-1), ">": () => faster(1),
    ArrowLeft: () => seek(Math.max(0, audio.currentTime - 5)),
    ArrowRight: () => seek(audio.currentTime + 5),
    ...notes?.keys,
    ...corrections?.keys,
    Escape: () => document.getElementById("back").click(),
  };
  if (!(key in actions) || target === audio) return;
  event.preventDefault();
  actions[key]();
});
for (const link of document.querySelectorAll("a.transcript")) {
  link.addEventListener("click", (event) => { event.preventDefault(); saveTranscript(link, ask).catch(trouble); });
}
start();
