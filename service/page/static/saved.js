// Searches of this browser: the last ones, and those that a person saves.
import { address, announce } from "./shell.js";

const PLACE = "std-searches"; // in local storage
const MOST_LAST = 20;

function read() {
  try {
    const { last = [], kept: saved = [] } = JSON.parse(localStorage.getItem(PLACE) ?? "{}");
    return { last, saved };
  } catch {
    return { last: [], saved: [] };
  }
}

function write({ last, saved }) {
  try {
    localStorage.setItem(PLACE, JSON.stringify({ last, kept: saved })); // the name of earlier versions
  } catch { /* a browser that keeps nothing */ }
}

/** The part of a page's query that is the search. */
function searchOf(query) {
  const search = new URLSearchParams(query);
  for (const name of ["cursor", "at", "q"]) search.delete(name);
  return search.toString();
}

/** Note that a search was made. */
export function remember(query) {
  const search = searchOf(query);
  const { last, saved } = read();
  write({ last: [search, ...last.filter((one) => one !== search)].slice(0, MOST_LAST), saved });
}

/** Say on a button whether a search is saved. */
export function showSaved(button, query) {
  const isSaved = read().saved.includes(searchOf(query));
  button.setAttribute("aria-pressed", String(isSaved));
  button.textContent = isSaved ? "Saved" : "Save this search";
}

/** Save a search, or no longer. */
export function toggleSaved(button, query) {
  const search = searchOf(query);
  const { last, saved } = read();
  const isSaved = saved.includes(search);
  write({ last, saved: isSaved ? saved.filter((one) => one !== search) : [search, ...saved] });
  showSaved(button, query);
  announce(isSaved ? "the search is no longer saved" : "the search is saved on the first page of this browser");
}

function describe(search) {
  const query = new URLSearchParams(search);
  const others = ["where", "recording", "channel"].flatMap((name) => query.getAll(name));
  const least = query.get("min_probability");
  if (least) others.push(`from ${Math.round(100 * least)} %`);
  return query.getAll("term").join(", ") + (others.length ? ` (${others.join(", ")})` : "");
}

/** Show them, if there are any. */
export function showSearches(place) {
  const searches = read();
  const parts = [["saved", "Saved searches", "Remove"], ["last", "Last searches", "Forget"]];
  place.replaceChildren(...parts.filter(([name]) => searches[name].length).flatMap(([name, title, verb]) => {
    const head = document.createElement("h2");
    head.textContent = title;
    const list = document.createElement("ul");
    list.className = "searches";
    list.append(...searches[name].map((search) => {
      const link = document.createElement("a");
      link.href = address(`/?${search}`);
      link.textContent = describe(search);
      const button = document.createElement("button");
      button.type = "button";
      button.className = "quiet";
      button.textContent = verb;
      button.setAttribute("aria-label", `${verb} ${describe(search)}`);
      button.addEventListener("click", () => {
        const now = read();
        write({ ...now, [name]: now[name].filter((one) => one !== search) });
        showSearches(place);
        (place.querySelector("button") ?? document.getElementById("q")).focus();
      });
      const item = document.createElement("li");
      item.append(link, " ", button);
      return item;
    }));
    return [head, list];
  }));
  place.hidden = !place.children.length;
}
