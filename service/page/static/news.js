// New hits of the standing searches, on the page that one comes to first.
import { address, askJson, clock } from "./shell.js";

/** Show the newest of them, if there are standing searches. */
export async function showNews(place) {
  const { terms, hits, trouble } = await askJson("/api/alerts").catch(() => ({ terms: [], hits: [] }));
  if (!terms.length) return;
  const title = document.createElement("h2");
  title.textContent = hits.length ? "New in the archive" : "Nothing new in the archive";
  const note = document.createElement("p");
  note.textContent = `Standing searches: ${terms.slice(0, 8).join(", ")}${terms.length > 8 ? `, and ${terms.length - 8} more` : ""}.`;
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
