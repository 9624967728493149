// Right and wrong: one key or click for each hit; shown when the service has written it down.
// What the service cannot write (a full disk, no network) waits in this browser and is sent again.
import { announce, askJson, clock, send } from "./shell.js";

const MADE = "std-marked"; // in local storage: changes made in this browser, for undo
const MOST_MADE = 200;
const WAITING = "std-marks"; // in local storage
const AGAIN_MS = 20_000;

/** What the buttons of a hit say now: true, false or null. */
function markOf(hit) {
  return { true: true, false: false, "": null }[hit.dataset.right];
}

const turns = new WeakMap(); // the last mark of each hit that is under way

/** Mark a hit; the same mark again takes it back. Calls `changed` with the counts. */
export function mark(hit, right, changed) {
  const turn = (turns.get(hit) ?? Promise.resolve()).then(() => markNow(hit, right, changed));
  turns.set(hit, turn); // a second thought is about the version that the first one makes
  return turn;
}

async function markNow(hit, right, changed) {
  const before = markOf(hit);
  const wanted = before === right ? null : right;
  const key = {
    term: hit.dataset.term,
    recording: hit.dataset.recording,
    start: Number(hit.dataset.start),
    end: Number(hit.dataset.end),
  };
  show(hit, wanted);
  try {
    const kept = await keep(key, wanted, hit.dataset.version);
    hit.dataset.version = kept.version;
    announce(wanted === null ? "mark undone" : wanted ? "marked right" : "marked wrong");
    remember(kept.change);
    hit.renewPast?.();
    changed(before, wanted, kept);
  } catch (error) {
    if (error.status === 412) { // somebody else was faster: show their mark
      hit.dataset.version = error.problem.version;
      show(hit, error.problem.right);
      hit.renewPast?.();
      announce(error.message);
      changed(before, error.problem.right, null, error);
    } else if (error.status === undefined || error.status >= 500 || error.status === 429) {
      const waiting = wait({ key, wanted });
      error.message = `${error.message}. ${waiting === 1 ? "The mark is" : `${waiting} marks are`} kept in this browser and sent again`;
      announce(error.message);
      changed(before, wanted, null, error);
    } else {
      show(hit, before);
      announce(error.message);
      changed(before, before, null, error);
    }
  }
}

function made() {
  return stored(MADE);
}

/** Note a change that this browser made, for undo. */
export function remember(change) {
  keepMade([...made(), change]);
}

function keepMade(changes) {
  localStorage.setItem(MADE, JSON.stringify(changes.slice(-MOST_MADE)));
}

/** Take the last change of a mark back: of this browser, of today or before, else of this user. */
export async function undoMark(hits, changed) {
  const changes = made();
  const last = changes.pop();
  try {
    await undoChange(last ?? "", hits, changed);
    keepMade(changes);
  } catch (error) {
    const isSettled = error.status === 404 || error.status === 412; // an older one is next
    if (isSettled) keepMade(changes);
    announce(last || isSettled ? error.message : "no mark to undo");
  }
}

/** Take a change back, and show it where its hit is shown; or what somebody else made of it. */
async function undoChange(change, hits, changed) {
  try {
    const kept = await send("POST", `/api/feedback/undo?change=${change}`, {});
    announce(`undone: ${kept.term || "a note"}, ${kept.recording}, ${clock(kept.start)}`);
    showKept(kept, hits, changed);
  } catch (error) {
    if (error.status === 412) showKept(error.problem, hits, changed, error);
    throw error;
  }
}

/** Show what the service has about a hit or a note. */
function showKept(kept, hits, changed, error) {
  if (!kept.term) { document.dispatchEvent(new Event("notes")); return; }
  const hit = [...hits].find(({ dataset }) => dataset.recording === kept.recording_id
    && dataset.term.toLowerCase() === kept.term.toLowerCase()
    && Number(dataset.start) < kept.end && Number(dataset.end) > kept.start);
  if (!hit) return;
  const before = markOf(hit);
  show(hit, kept.right);
  hit.dataset.version = kept.version;
  hit.renewPast?.();
  changed(hit, before, kept.right, error ? null : kept, error);
}

const SAID = { true: "right", false: "wrong", null: "not marked" };

/** What a change made of a hit or a note. */
function saidBy({ term, right, note }) {
  return term ? SAID[right] : note ? `“${note}”` : "deleted";
}

/** Show who changed a mark or a note and when, or hide it again. */
export async function showPast(hit, changed) {
  const button = hit.querySelector(".past");
  const shown = hit.querySelector(".past-list");
  button.setAttribute("aria-expanded", String(!shown));
  if (shown) { shown.remove(); return; }
  hit.renewPast = () => {
    const outdated = hit.querySelector(".past-list");
    if (outdated) { outdated.remove(); showPast(hit, changed); }
  };
  const { recording, term, start, end } = hit.dataset;
  const list = document.createElement("ol");
  list.className = "past-list";
  try {
    const { changes } = await askJson(`/api/feedback/history?${new URLSearchParams({ recording, term, start, end })}`);
    const about = term ? changes // overlapping notes are others
      : changes.filter((change) => !change.term && change.start === Number(start) && change.end === Number(end));
    list.append(...about.map((change) => {
      const item = document.createElement("li");
      const when = document.createElement("time");
      when.dateTime = change.time;
      when.textContent = new Date(change.time).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
      item.append(when, ` ${saidBy(change)}${change.author ? `, ${change.author}` : ""}${change.undoes ? " (a change was undone)" : ""} `);
      if (change.counts) {
        const undo = document.createElement("button");
        undo.type = "button";
        undo.className = "quiet";
        undo.textContent = "Undo";
        undo.addEventListener("click", async () => {
          try {
            await undoChange(change.id, [hit], changed);
            list.remove(); // of a note; that of a mark is shown again
          } catch (error) {
            item.append(` ${error.message}.`);
          }
        });
        item.append(undo);
      }
      return item;
    }));
    if (!changes.length) list.textContent = "Nobody has marked this place.";
  } catch (error) {
    list.textContent = error.message;
  }
  hit.append(list);
}

/** A list in the browser. */
function stored(name) {
  try {
    return JSON.parse(localStorage.getItem(name) ?? "[]");
  } catch {
    return [];
  }
}

function keep(key, wanted, version) {
  const headers = version === undefined ? {} : { "If-Match": `"${version}"` };
  return wanted === null
    ? send("DELETE", "/api/feedback", key, headers)
    : send("POST", "/api/feedback", { ...key, right: wanted }, headers);
}

function show(hit, right) {
  hit.dataset.right = right === null ? "" : String(right);
  hit.querySelector(".right")?.setAttribute("aria-pressed", String(right === true));
  hit.querySelector(".wrong")?.setAttribute("aria-pressed", String(right === false));
}

// --- marks that wait

function waitingMarks() {
  return stored(WAITING);
}

/** Keep a mark here; the last one about a hit counts. Returns how many wait. */
function wait(one) {
  const same = JSON.stringify(one.key);
  const others = waitingMarks().filter((other) => JSON.stringify(other.key) !== same);
  localStorage.setItem(WAITING, JSON.stringify([...others, one]));
  return others.length + 1;
}

async function sendAgain() {
  for (const one of waitingMarks()) {
    let told = "a mark that was kept in this browser is saved";
    try {
      await keep(one.key, one.wanted);
    } catch (error) {
      if (error.status === undefined || error.status >= 500 || error.status === 429) return;
      told = `a mark that was kept in this browser is not saved: ${error.message}`;
    }
    const same = JSON.stringify(one);
    localStorage.setItem(WAITING, JSON.stringify(waitingMarks().filter((other) => JSON.stringify(other) !== same)));
    announce(told);
  }
}

setInterval(sendAgain, AGAIN_MS);
addEventListener("online", sendAgain);
sendAgain();
