// The waveform of a recording: a canvas that is a slider, with the hits on it, at any scale.
import { clock } from "./shell.js";

const TILE = 1024; // amplitudes that are fetched at once
const FINEST = 100; // amplitudes in a second
const SHORTEST_S = 4; // that the canvas shows

/**
 * Draw a waveform and let people point into it.
 *
 * `load(fromS, toS, count)` gives amplitudes of a stretch; `seek` is called with seconds; `shown`
 * with the stretch that is seen, and whether that is all.
 */
export function makeWave(canvas, durationS, peaks, load, seek, shown) {
  let atS = 0;
  let hits = [];
  let [fromS, toS] = [0, durationS];
  const tiles = new Map(); // amplitudes by scale and number; null while they are fetched
  const loudest = Math.max(1, ...peaks);
  const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name);

  /** Amplitudes in a second that the canvas needs: a power of 2 below the finest. */
  function scale() {
    const wanted = canvas.clientWidth / 2 / (toS - fromS);
    return FINEST / 2 ** Math.max(0, Math.floor(Math.log2(FINEST / wanted)));
  }

  /** The largest amplitude of a stretch, of its tile or, until that is there, of the overview. */
  function peakOf(beginS, endS, perS) {
    const number = Math.floor(beginS * perS / TILE);
    const [values, rate, firstS] = tiles.get(`${perS} ${number}`) ? [tiles.get(`${perS} ${number}`), perS, number * TILE / perS]
      : [peaks, peaks.length / durationS, 0];
    const first = Math.floor((beginS - firstS) * rate);
    const end = Math.max(first + 1, Math.floor((endS - firstS) * rate));
    let peak = 0;
    for (let i = first; i < end; i += 1) peak = Math.max(peak, values[i] ?? 0);
    return peak;
  }

  /** Fetch the tiles of what is seen, where the overview is too coarse. */
  function fetchTiles(perS) {
    if (perS <= peaks.length / durationS) return;
    const tileS = TILE / perS;
    for (let number = Math.floor(fromS / tileS); number * tileS < toS; number += 1) {
      const key = `${perS} ${number}`;
      if (tiles.has(key)) continue;
      tiles.set(key, null);
      load(number * tileS, (number + 1) * tileS, TILE)
        .then((values) => { tiles.set(key, values); draw(); })
        .catch(() => tiles.delete(key)); // the overview stands
    }
  }

  function draw() {
    const ratio = window.devicePixelRatio || 1;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    if (!width) return;
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    const pen = canvas.getContext("2d");
    pen.scale(ratio, ratio);
    const [perPixelS, perS] = [(toS - fromS) / width, scale()];
    fetchTiles(perS);
    const x = (seconds) => (seconds - fromS) / perPixelS;
    pen.fillStyle = style("--found");
    for (const { startS, endS } of hits) {
      if (endS >= fromS && startS <= toS) pen.fillRect(x(startS), 0, Math.max(2, x(endS) - x(startS)), height);
    }
    const [rest, played] = [style("--wave"), style("--wave-played")];
    for (let left = 0; left < width; left += 2) {
      const beginS = fromS + left * perPixelS;
      const tall = Math.max(1, peakOf(beginS, beginS + 2 * perPixelS, perS) / loudest * (height - 6));
      pen.fillStyle = beginS <= atS ? played : rest;
      pen.fillRect(left, (height - tall) / 2, 1.4, tall);
    }
    pen.fillStyle = style("--focus");
    pen.fillRect(x(atS) - 1, 0, 2, height);
  }

  /** See a stretch of a length around a time. */
  function see(lengthS, middleS) {
    const length = Math.min(durationS, Math.max(Math.min(SHORTEST_S, durationS), lengthS));
    fromS = Math.min(durationS - length, Math.max(0, middleS - length / 2));
    toS = fromS + length;
    shown(fromS, toS, length >= durationS);
    draw();
  }

  function at(seconds) {
    atS = seconds;
    canvas.setAttribute("aria-valuenow", seconds.toFixed(1));
    canvas.setAttribute("aria-valuetext", clock(seconds));
    if (seconds < fromS || seconds > toS) see(toS - fromS, seconds + (toS - fromS) / 3);
    else draw();
  }

  canvas.setAttribute("aria-valuemax", durationS.toFixed(1));
  canvas.addEventListener("click", (event) => seek(fromS + event.offsetX / canvas.clientWidth * (toS - fromS)));
  canvas.addEventListener("keydown", (event) => {
    const to = { Home: 0, End: durationS }[event.key];
    if (to !== undefined) { event.preventDefault(); seek(to); }
  });
  canvas.addEventListener("wheel", (event) => {
    const length = toS - fromS;
    const pointedS = fromS + event.offsetX / canvas.clientWidth * length;
    if (event.ctrlKey) {
      const longer = length * 1.5 ** Math.sign(event.deltaY);
      see(longer, pointedS + (fromS + length / 2 - pointedS) * longer / length);
    } else if (event.deltaX && length < durationS) see(length, fromS + length / 2 + event.deltaX / canvas.clientWidth * length);
    else return;
    event.preventDefault();
  }, { passive: false });
  new ResizeObserver(draw).observe(canvas);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  see(durationS, durationS / 2);
  return {
    at,
    mark(places) { hits = places; draw(); },
    zoom(times) { see(times ? (toS - fromS) / times : durationS, atS); },
  };
}
