// The search page: terms in, results in the place of the last ones; the address holds everything.
import { addHints } from "./hints.js";
import { remember, showSaved, showSearches, toggleSaved } from "./saved.js";
import { mark, showPast, undoMark } from "./marks.js";
import { showNews } from "./news.js";
import { forget, toggle } from "./player.js";
import { about, address, announce, ask, askJson, counted, isTyping, send, splitTerms } from "./shell.js";

const form = document.getElementById("search");
const box = document.getElementById("q");
const results = document.getElementById("results");
const STEPS = 100;
let current = null; // the hit that keys are about
let request = null;

const hints = addHints(box, document.getElementById("hints"), document.getElementById("typed"), () => form.requestSubmit());

function typedTerms() {
  return splitTerms(box.value);
}

// --- results

/** Show what an address says. */
async function show(query, { keep = false, toResults = false } = {}) {
  request?.abort();
  request = new AbortController();
  hints.close();
  const terms = new URLSearchParams(query).getAll("term");
  document.title = terms.length ? `${terms.join(", ")} · Spoken terms` : "Spoken terms";
  if (!terms.length) {
    location.assign(address("/"));
    return;
  }
  results.setAttribute("aria-busy", "true");
  const slow = setTimeout(() => announce("searching"), 600);
  try {
    const answer = await ask(`/page/results?${query}`, { signal: request.signal });
    replace(await answer.text());
    if (!keep) scrollTo({ top: 0, behavior: "instant" });
    const count = document.getElementById("count");
    if (toResults) count?.focus({ preventScroll: true });
    announce(count ? count.textContent.trim() : "");
  } catch (error) {
    if (error.name === "AbortError") return;
    const notice = document.createElement("p");
    notice.className = "notice problem";
    notice.setAttribute("role", "alert");
    notice.textContent = error.message;
    results.replaceChildren(notice);
  } finally {
    clearTimeout(slow);
    results.setAttribute("aria-busy", "false");
  }
}

/** Put the service's own HTML in place; the templates have escaped what data say. */
function replace(html) {
  const focused = document.activeElement?.id;
  const filtersOpen = document.querySelector(".filter-box")?.open;
  forget();
  current = null;
  results.innerHTML = html;
  prepare();
  const filters = document.querySelector(".filter-box");
  if (filters && filtersOpen !== undefined) filters.open = filtersOpen;
  if (focused === "least") document.getElementById("least")?.focus();
}

/** Show another state: an entry of the history, but for a move of the slider. */
function go(query, { replaces = false, ...options } = {}) {
  if (replaces) history.replaceState(null, "", address(`/?${query}`));
  else {
    rememberPlace();
    history.pushState(null, "", address(`/?${query}`));
  }
  return show(query, options);
}

/** Keep in the history where a person is, for Back. */
function rememberPlace() {
  const at = hitsShown().indexOf(current);
  history.replaceState({ y: scrollY, hit: at }, "");
}

/** Go to where a person was. */
function returnToPlace(state) {
  if (!state) return;
  const hit = hitsShown()[state.hit];
  if (hit) select(hit, { focus: false });
  scrollTo({ top: state.y, behavior: "instant" });
  hit?.focus({ preventScroll: true });
}

/** What there is to do once results stand on the page. */
function prepare() {
  const least = document.getElementById("least");
  if (least) prepareSlider(least);
  if (matchMedia("(max-width: 52rem)").matches) document.querySelector(".filter-box")?.removeAttribute("open");
  for (const line of document.querySelectorAll(".nearest")) nearest(line);
  const forms = document.getElementById("forms");
  if (forms) showForms(forms);
  const save = results.querySelector(".save");
  if (save) showSaved(save, searchShown());
  if (document.getElementById("count")) remember(searchShown());
}

/** Links to related forms, which are searched once the results are there. */
async function showForms(part) {
  try {
    part.innerHTML = await (await ask(`/page/forms?${searchShown()}`)).text();
  } catch { /* the results stand without them */ }
}

/** The query of the search that is shown. */
function searchShown() {
  const query = new URLSearchParams(location.search);
  if (!query.has("term")) typedTerms().forEach((term) => query.append("term", term));
  return query.toString();
}

/** Watch the terms for new hits, or no longer. */
async function watch(button) {
  const isOn = button.getAttribute("aria-pressed") === "true";
  try {
    for (const term of JSON.parse(button.dataset.terms)) {
      if (isOn) await askJson(`/api/alerts?term=${encodeURIComponent(term)}`, { method: "DELETE" });
      else await send("POST", "/api/alerts", { term });
    }
    button.setAttribute("aria-pressed", String(!isOn));
    announce(isOn ? "not watched any more" : "new hits will be shown on the first page");
  } catch (error) {
    announce(error.message);
    button.closest(".head").append(` ${error.message}.`);
  }
}

/** The nearest words, where nothing was found. */
async function nearest(line) {
  try {
    const { words } = await askJson(`/api/query?term=${encodeURIComponent(line.dataset.term)}`);
    const like = new Map();
    for (const word of words) {
      for (const [other, similarity] of [...(word.levenshtein ?? []), ...(word.dice ?? []), ...(word.pronunciation ?? [])]) {
        like.set(other, Math.max(similarity, like.get(other) ?? 0));
      }
    }
    const best = [...like].sort((a, b) => b[1] - a[1]).slice(0, 6);
    if (!best.length) return;
    line.append(`Words of the index that are similar to “${line.dataset.term}”: `);
    best.forEach(([word], i) => {
      const link = document.createElement("a");
      link.href = address(`/?${new URLSearchParams({ term: word })}`);
      link.textContent = word;
      line.append(i ? ", " : "", link);
    });
  } catch { /* what was found is said already */ }
}

// --- the slider for the least probability

function prepareSlider(least) {
  const counts = least.dataset.counts.split(" ").map(Number);
  const right = least.dataset.right.split(" ").map(Number);
  const steps = document.getElementById("steps");
  const most = Math.log1p(Math.max(1, ...counts.map((count, i) => count - (counts[i + 1] ?? 0))));
  steps.replaceChildren(...counts.map((count, i) => {
    const bar = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    const height = 24 * Math.log1p(count - (counts[i + 1] ?? 0)) / most;
    for (const [name, value] of Object.entries({ x: i, y: 24 - height, width: 0.9, height })) bar.setAttribute(name, value);
    return bar;
  }));
  const draw = () => {
    const step = Math.round(STEPS * least.value);
    document.getElementById("least-value").textContent = `${step} %`;
    steps.querySelectorAll("rect").forEach((bar, i) => bar.classList.toggle("kept", i >= step));
    const [n, sum] = [counts[step], right[step]];
    least.setAttribute("aria-valuetext", `${step} %: ${counted(n, "place")}, ${about(sum)} right`);
    return `${counted(n, "place")}, ${about(sum)}${n === 1 ? "" : " of them"} right`;
  };
  draw();
  least.addEventListener("input", () => { document.getElementById("count").textContent = draw(); });
  least.addEventListener("change", () => {
    const query = new URLSearchParams(location.search);
    if (!query.has("term")) typedTerms().forEach((term) => query.append("term", term));
    query.delete("q");
    query.delete("cursor");
    query.set("min_probability", least.value);
    go(query.toString(), { keep: true, replaces: true });
  });
}

// --- hits

const hitsShown = () => [...results.querySelectorAll(".hit")];

function select(hit, { focus = true } = {}) {
  current?.classList.remove("current");
  current = hit;
  hit.classList.add("current");
  if (focus) {
    hit.focus({ preventScroll: true });
    hit.scrollIntoView({ block: "nearest" });
  }
}

function step(by) {
  const hits = hitsShown();
  if (!hits.length) return;
  const at = hits.indexOf(current);
  select(hits[Math.min(hits.length - 1, Math.max(0, at < 0 ? 0 : at + by))]);
}

function judge(hit, right) {
  select(hit, { focus: false });
  mark(hit, right, showMarked);
}

/** Say how many are marked. */
function showMarked(before, now, kept, error) {
  const line = document.getElementById("marked");
  const counts = { true: Number(line.dataset.right), false: Number(line.dataset.wrong) };
  if (before !== null) counts[before] -= 1;
  if (now !== null) counts[now] += 1;
  [line.dataset.right, line.dataset.wrong] = [counts.true, counts.false];
  const all = counts.true + counts.false;
  const link = results.querySelector(".like-right");
  if (link) link.hidden = counts.true === 0;
  line.textContent = error ? `Not marked: ${error.message}` : all === 0 ? ""
    : `Marked so far: ${counts.true} right, ${counts.false} wrong (${Math.round(100 * counts.true / all)} % right).`;
}

/** The query of an address for terms, with the filters of this page. */
function queryOf(terms) {
  const query = new URLSearchParams(terms.map((term) => ["term", term]));
  const kept = new URLSearchParams(location.search);
  for (const name of ["recording", "channel", "where", "min_probability", "sort", "group", "within_words", "inflections"]) {
    kept.getAll(name).forEach((value) => query.append(name, value));
  }
  return query.toString();
}

/** Search for more like the places marked right, those marked on this page among them. */
async function showLikeRight(link) {
  const terms = new URLSearchParams(searchShown()).getAll("term").map((term) => ["term", term]);
  try {
    const { like_right: like } = await askJson(`/api/search?${new URLSearchParams([...terms, ["limit", 1]])}`);
    link.hidden = like === null;
    if (like === null) { announce("the index has no sound of the places that are marked right"); return; }
    const term = `${link.dataset.words} ${like}`.trim();
    box.value = term;
    go(queryOf([term]), { toResults: true });
  } catch (error) {
    announce(error.message);
  }
}

// --- what people do

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const terms = typedTerms();
  if (!terms.length) { box.focus(); return; }
  box.blur(); // the next keys are about the hits
  go(queryOf(terms), { toResults: true });
});

results.addEventListener("input", ({ target }) => {
  if (!target.classList.contains("find-value")) return;
  const facet = target.closest(".facet");
  const wanted = target.value.trim().toLocaleLowerCase();
  const items = facet.querySelectorAll("li");
  if (Number(target.dataset.all) > items.length || facet.dataset.asked) { findValues(target, facet); return; }
  for (const item of items) {
    const fits = item.textContent.toLocaleLowerCase().includes(wanted);
    item.hidden = wanted ? !fits : item.classList.contains("more") && facet.querySelector(".all-values") !== null;
  }
});

const PAUSE_MS = 200; // in typing, before the service is asked
let typing = null;

/** Values of a facet that has more than the page: the service finds them. */
function findValues(box, facet) {
  facet.dataset.asked = "true";
  facet.querySelector(".all-values")?.remove();
  clearTimeout(typing);
  typing = setTimeout(async () => {
    const asked = new URLSearchParams(searchShown());
    asked.set("facet", box.dataset.facet);
    asked.set("text", box.value.trim());
    await putValues(facet, `/page/facet?${asked}`, (list, html) => { list.innerHTML = html; });
  }, PAUSE_MS);
}

/** Put values into the list of a facet, which the service's templates have escaped. */
async function putValues(facet, path, put) {
  try {
    const list = facet.querySelector("ul");
    put(list, await (await ask(path)).text());
    announce(`${list.querySelectorAll("a[role=checkbox]").length} values`);
  } catch (error) {
    announce(error.message);
  }
}

results.addEventListener("click", (event) => {
  const target = event.target;
  const hit = target.closest(".hit");
  if (hit && target.closest("button.play")) { select(hit, { focus: false }); toggle(hit); return; }
  if (hit && target.closest(".right")) { judge(hit, true); return; }
  if (hit && target.closest(".wrong")) { judge(hit, false); return; }
  if (hit && target.closest(".past")) { showPast(hit, (_, ...how) => showMarked(...how)); return; }
  if (target.closest(".all-values")) {
    target.closest(".facet").querySelectorAll(".more").forEach((one) => { one.hidden = false; });
    target.remove();
    return;
  }
  if (target.closest(".next-values")) {
    event.preventDefault();
    const link = target.closest(".next-values");
    const { pathname, search } = new URL(link.href);
    putValues(link.closest(".facet"), pathname.slice(address("").length) + search, (list, html) => {
      const shown = list.children.length - 1;
      link.closest("li").remove();
      list.insertAdjacentHTML("beforeend", html);
      list.children[shown]?.querySelector("a").focus({ preventScroll: true });
    });
    return;
  }
  if (target.closest(".to-export")) { toExport(); return; }
  if (target.closest(".save")) { toggleSaved(target.closest(".save"), searchShown()); return; }
  if (target.closest(".watch")) { watch(target.closest(".watch")); return; }
  const link = target.closest("a");
  if (link?.classList.contains("download")) { event.preventDefault(); download(link); return; }
  const plain = !(event.ctrlKey || event.metaKey || event.shiftKey || event.button);
  if (link?.classList.contains("like-right") && plain) { event.preventDefault(); showLikeRight(link); return; }
  if (link && plain && new URL(link.href).pathname === address("/")) {
    event.preventDefault();
    const query = new URL(link.href).search.slice(1);
    box.value = new URLSearchParams(query).getAll("term").join(", ");
    const isNew = link.matches(".like");
    go(query, { keep: !(isNew || ["next", "prev"].includes(link.rel)), toResults: isNew });
    return;
  }
  if (hit && !link) select(hit, { focus: false });
});

/** Go to the exports, which stand below all hits. */
function toExport() {
  const first = document.getElementById("only-right");
  first?.scrollIntoView({ block: "center" });
  first?.focus({ preventScroll: true });
}

/** Save an export; it may need the token, and may be for marked hits only. */
async function download(link) {
  const url = new URL(link.href);
  if (document.getElementById("only-right").checked) url.searchParams.set("right", "true");
  try {
    const answer = await ask(url.pathname.slice(address("").length) + url.search);
    const named = /filename\*=UTF-8''([^;]+)/u.exec(answer.headers.get("Content-Disposition"));
    const file = document.createElement("a");
    file.href = URL.createObjectURL(await answer.blob());
    file.download = named ? decodeURIComponent(named[1]) : "hits";
    file.click();
    setTimeout(() => URL.revokeObjectURL(file.href), 10_000);
    announce("saved");
  } catch (error) {
    announce(error.message);
    link.closest(".export").append(` ${error.message}.`);
  }
}

document.addEventListener("keydown", (event) => {
  const { key, target } = event;
  if (key === "/" && target === box && !box.value) event.preventDefault(); // one is there already
  if (isTyping(event)) return;
  const onControl = target.closest?.("a, button, summary, input");
  const actions = {
    "/": () => { box.focus(); box.select(); },
    j: () => step(1), k: () => step(-1), ArrowDown: () => step(1), ArrowUp: () => step(-1),
    y: () => current && judge(current, true), n: () => current && judge(current, false),
    z: () => undoMark(hitsShown(), (hit, ...how) => { if (hit.isConnected) select(hit, { focus: false }); showMarked(...how); }),
    " ": () => current && toggle(current),
    e: toExport,
    m: () => current?.querySelector("a.like")?.click(),
    Enter: () => current?.querySelector("a.open").click(),
  };
  if (!(key in actions)) return;
  if (onControl && (key === " " || key === "Enter" || (key.startsWith("Arrow") && target.type === "range"))) return;
  event.preventDefault();
  actions[key]();
});

history.scrollRestoration = "manual";
addEventListener("pagehide", rememberPlace);
addEventListener("popstate", async ({ state }) => {
  const query = new URLSearchParams(location.search);
  box.value = [...query.getAll("term"), ...query.getAll("q")].join(", ");
  if (!box.value) { location.reload(); return; }
  await show(location.search.slice(1), { keep: true });
  returnToPlace(state);
});

// --- at first

if (results.querySelector(".columns, .problem, .list")) {
  prepare();
  // The browser looks for what has autofocus when it first draws.
  requestAnimationFrame(() => requestAnimationFrame(() => returnToPlace(history.state)));
}
else if (new URLSearchParams(location.search).has("term")) {
  box.value = new URLSearchParams(location.search).getAll("term").join(", ");
  show(location.search.slice(1)).then(() => returnToPlace(history.state));
}
else if (!box.value) {
  showSearches(document.getElementById("searches"));
  showNews(document.getElementById("news"));
}
const warming = document.getElementById("health");
if (warming) {
  const look = setInterval(async () => {
    const health = await askJson("/healthz").catch(() => null);
    if (health?.status === "ready" && !health.warming.includes("unknown words")) { warming.hidden = true; clearInterval(look); }
  }, 1000);
}
