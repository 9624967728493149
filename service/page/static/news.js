// New hits of the standing searches, on the page that one comes to first.
import { address, announce, askJson, clock } from "./shell.js";

const MOST_TERMS = 30; // that are named

function feed(form, ticket) {
  const link = document.createElement("a");
  const query = new URLSearchParams({ format: form.toLowerCase(), ...(ticket ? { ticket } : {}) });
  link.href = address(`/api/alerts/feed?${query}`);
  link.textContent = form;
  return link;
}

function stopping(term, place) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "quiet";
  button.textContent = "stop";
  button.setAttribute("aria-label", `Stop watching ${term}`);
  button.addEventListener("click", async () => {
    try {
      await askJson(`/api/alerts?term=${encodeURIComponent(term)}`, { method: "DELETE" });
      await showNews(place);
      announce(`${term} is not watched any more`);
    } catch (error) {
      place.append(` ${error.message}.`);
      announce(error.message);
    }
  });
  return button;
}

/** Show the newest of them, if there are standing searches. */
export async function showNews(place) {
  const { terms, hits, trouble, can_change: canChange, feed_ticket: ticket } = await askJson("/api/alerts").catch(() => ({ terms: [], hits: [] }));
  if (!terms.length) { place.hidden = true; return; }
  const title = document.createElement("h2");
  title.textContent = hits.length ? "New in the archive" : "Nothing new in the archive";
  const note = document.createElement("p");
  note.append("Watched: ");
  terms.slice(0, MOST_TERMS).forEach((term, i) => {
    note.append(i ? ", " : "", term);
    if (canChange) note.append(" (", stopping(term, place), ")");
  });
  if (terms.length > MOST_TERMS) note.append(`, and ${terms.length - MOST_TERMS} more`);
  note.append(". As a feed: ", ...["Atom", "JSON"].flatMap((form, i) => [i ? ", " : "", feed(form, ticket)]), ".");
  const list = document.createElement("ul");
  list.className = "news";
  for (const hit of hits.slice(0, 20)) {
    const link = document.createElement("a");
    const query = new URLSearchParams({ term: hit.term, at: hit.start_s.toFixed(2) });
    link.href = address(`/recordings/${encodeURIComponent(hit.recording_id)}?${query}`);
    link.textContent = `${hit.file}, ${clock(hit.start_s)}`;
    const found = document.createElement("mark");
    found.textContent = hit.context[1];
    const item = document.createElement("li");
    item.append(link, ` ${hit.context[0]} `, found, ` ${hit.context[2]} (${hit.term}, ${Math.round(100 * hit.probability)} %)`);
    list.append(item);
  }
  place.replaceChildren(title, note, list);
  if (trouble) place.append(trouble);
  place.hidden = false;
}
