// Plays a hit: from one second before it to one second after it.
import { announce, audioAddress, clock } from "./shell.js";

const BEFORE_S = 1;
const AFTER_S = 1;

const box = document.getElementById("player");
const audio = document.getElementById("audio");
let hit = null; // that is played
let loaded = ""; // its recording
let endS = Infinity;

/** Play a hit, or stop it if it is playing. */
export async function toggle(wanted) {
  if (hit === wanted && !audio.paused) {
    audio.pause();
    return;
  }
  if (!wanted.querySelector("button.play")) {
    announce("no audio of this recording");
    return;
  }
  audio.pause();
  hit?.classList.remove("playing");
  hit = wanted;
  const { recording, title, start, end } = hit.dataset;
  box.hidden = false;
  const name = Object.assign(document.createElement("span"), { className: "long", textContent: title, title });
  document.getElementById("player-title").replaceChildren(name, `, ${clock(Number(start))}`);
  if (loaded !== recording) {
    loaded = ""; // whatever comes, nothing of another recording is played as this one
    try {
      const source = await audioAddress(recording);
      if (hit !== wanted) return; // another hit was chosen meanwhile
      audio.src = source;
    } catch (error) {
      announce(error.message);
      return;
    }
    loaded = recording;
  }
  audio.currentTime = Math.max(0, Number(start) - BEFORE_S);
  endS = Number(end) + AFTER_S;
  try {
    await audio.play();
  } catch (error) {
    if (error.name !== "AbortError") announce("this audio cannot be played");
  }
}

/** Forget the hit: the list it stood in is gone. */
export function forget() {
  hit = null;
}

audio.addEventListener("play", () => hit?.classList.add("playing"));
audio.addEventListener("pause", () => hit?.classList.remove("playing"));
audio.addEventListener("ended", () => hit?.classList.remove("playing"));
audio.addEventListener("timeupdate", () => {
  if (audio.currentTime >= endS) {
    audio.pause();
    endS = Infinity; // pressed again in the player, it goes on
  }
});
audio.addEventListener("error", () => {
  if (audio.getAttribute("src")) {
    document.getElementById("player-title").textContent = "This audio cannot be played.";
    loaded = "";
  }
});
