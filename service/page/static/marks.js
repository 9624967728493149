// Right and wrong: one key or click for each hit; shown when the service has written it down.
import { announce, send } from "./shell.js";

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
    const kept = wanted === null
      ? await send("DELETE", "/api/feedback", key)
      : await send("POST", "/api/feedback", { ...key, right: wanted });
    announce(wanted === null ? "mark taken back" : wanted ? "marked right" : "marked wrong");
    changed(before, wanted, kept);
  } catch (error) {
    show(hit, before);
    announce(error.message);
    changed(before, before, null, error);
  }
}

function show(hit, right) {
  hit.dataset.right = right === null ? "" : String(right);
  hit.querySelector(".right")?.setAttribute("aria-pressed", String(right === true));
  hit.querySelector(".wrong")?.setAttribute("aria-pressed", String(right === false));
}
