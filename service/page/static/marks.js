// Right and wrong: one key or click for each hit; shown when the service has written it down.
// What the service cannot write (a full disk, no network) waits in this browser and is sent again.
import { announce, send } from "./shell.js";

const made = []; // marks of this page, for undo: the hit, and what its mark was before
const WAITING = "std-marks"; // in local storage
const AGAIN_MS = 20_000;

/** What the buttons of a hit say now: true, false or null. */
function markOf(hit) {
  return { true: true, false: false, "": null }[hit.dataset.right];
}

/** Mark a hit; the same mark again takes it back. Calls `changed` with the counts. */
export async function mark(hit, right, changed) {
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
    announce(wanted === null ? "mark taken back" : wanted ? "marked right" : "marked wrong");
    made.push({ hit, before });
    changed(before, wanted, kept);
  } catch (error) {
    if (error.status === 412) { // somebody else was faster: show their mark
      hit.dataset.version = error.problem.version;
      show(hit, error.problem.right);
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

/** Take the last change of a mark back; whether there is one. */
export function undoMark(changed) {
  const { hit, before } = made.pop() ?? {};
  if (!hit) { announce("no mark to take back"); return; }
  mark(hit, before ?? markOf(hit), (...how) => { made.pop(); changed(hit, ...how); });
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
  try {
    return JSON.parse(localStorage.getItem(WAITING) ?? "[]");
  } catch {
    return [];
  }
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
    try {
      await keep(one.key, one.wanted);
    } catch (error) {
      if (error.status === undefined || error.status >= 500 || error.status === 429) return;
    }
    const same = JSON.stringify(one);
    localStorage.setItem(WAITING, JSON.stringify(waitingMarks().filter((other) => JSON.stringify(other) !== same)));
    announce("a mark that waited is kept");
  }
}

setInterval(sendAgain, AGAIN_MS);
addEventListener("online", sendAgain);
sendAgain();
