// The waveform of a recording: a canvas that is a slider, with the hits on it.
import { clock } from "./shell.js";

/** Draw a waveform and let people point into it; `seek` is called with seconds. */
export function makeWave(canvas, durationS, peaks, seek) {
  let atS = 0;
  let hits = [];
  const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name);

  function draw() {
    const scale = window.devicePixelRatio || 1;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    if (!width) return;
    canvas.width = width * scale;
    canvas.height = height * scale;
    const pen = canvas.getContext("2d");
    pen.scale(scale, scale);
    pen.fillStyle = style("--found");
    for (const { startS, endS } of hits) pen.fillRect(startS / durationS * width, 0, Math.max(2, (endS - startS) / durationS * width), height);
    const loudest = Math.max(1, ...peaks);
    const [rest, played] = [style("--wave"), style("--wave-played")];
    for (let x = 0; x < width; x += 2) {
      const first = Math.floor(x / width * peaks.length);
      const end = Math.max(first + 1, Math.floor((x + 2) / width * peaks.length));
      let peak = 0;
      for (let i = first; i < end; i += 1) peak = Math.max(peak, peaks[i] ?? 0);
      const tall = Math.max(1, peak / loudest * (height - 6));
      pen.fillStyle = x / width * durationS <= atS ? played : rest;
      pen.fillRect(x, (height - tall) / 2, 1.4, tall);
    }
    pen.fillStyle = style("--focus");
    pen.fillRect(atS / durationS * width - 1, 0, 2, height);
  }

  function at(seconds) {
    atS = seconds;
    canvas.setAttribute("aria-valuenow", seconds.toFixed(1));
    canvas.setAttribute("aria-valuetext", clock(seconds));
    draw();
  }

  canvas.setAttribute("aria-valuemax", durationS.toFixed(1));
  canvas.addEventListener("click", (event) => seek(event.offsetX / canvas.clientWidth * durationS));
  canvas.addEventListener("keydown", (event) => {
    const to = { Home: 0, End: durationS }[event.key];
    if (to !== undefined) { event.preventDefault(); seek(to); }
  });
  new ResizeObserver(draw).observe(canvas);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  return { at, mark(places) { hits = places; draw(); } };
}
