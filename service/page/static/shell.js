// What every page has: requests with the token, the list of keys, announcements.

const root = document.body.dataset.root;
const TABS_MS = 150; // for another tab to answer
const TOKEN = "std-token"; // in session storage: gone with the window
// Tabs of one browser give each other the token while one of them is open.
const tabs = new BroadcastChannel("std-token");
tabs.addEventListener("message", ({ data }) => {
  if (data === "asked" && sessionStorage.getItem(TOKEN)) tabs.postMessage({ token: sessionStorage.getItem(TOKEN) });
  else if (data.token && !sessionStorage.getItem(TOKEN)) sessionStorage.setItem(TOKEN, data.token);
});

/** The token, of this tab or of another one. */
export async function token() {
  const known = sessionStorage.getItem(TOKEN);
  if (known || !("needsToken" in document.body.dataset)) return known;
  tabs.postMessage("asked");
  await new Promise((resolve) => { setTimeout(resolve, TABS_MS); });
  return sessionStorage.getItem(TOKEN);
}

/** An expected number, as exact as it deserves; as `about` of the service. */
export function about(number) {
  if (number < 0.05) return "less than 0.1";
  return `about ${number >= 0.95 ? Math.round(number).toLocaleString("en") : number.toFixed(1)}`;
}

/** A count with its noun. */
export function counted(number, noun) {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}

/** An address of this service. */
export function address(path) {
  return `${root}${path}`;
}

/** Ask the service; a problem becomes an Error with its words. */
export async function ask(path, options = {}) {
  const known = await token();
  const headers = { ...options.headers, ...(known ? { Authorization: `Bearer ${known}` } : {}) };
  let response;
  try {
    response = await fetch(address(path), { ...options, headers });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error("the service does not answer");
  }
  if (response.status === 401) {
    await askForTokenAfter(known);
    return ask(path, options);
  }
  if (!response.ok) {
    const problem = await response.json().catch(() => ({}));
    const error = new Error(problem.detail || `the service answered with status ${response.status}`);
    throw Object.assign(error, { status: response.status, problem });
  }
  return response;
}

/** The JSON document at an address. */
export async function askJson(path, options) {
  return (await ask(path, options)).json();
}

/** Send a document; returns the answer's. */
export function send(method, path, document, headers = {}) {
  return askJson(path, {
    method,
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify(document),
  });
}

/** A token for a request that was refused with an old one, or with none. */
export async function askForTokenAfter(refused) {
  // Another request may have asked, and got a new token, before the answer to the old one came.
  if (sessionStorage.getItem(TOKEN) === refused) await askForToken(Boolean(refused));
}

let asking = null; // one question for all requests that wait for it

function askForToken(wasWrong) {
  asking ??= new Promise((resolve) => {
    const form = document.getElementById("token-form");
    form.hidden = false;
    document.getElementById("token-wrong").textContent = wasWrong ? "This token is not right." : "";
    document.getElementById("token").focus();
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      sessionStorage.setItem(TOKEN, document.getElementById("token").value.trim());
      form.hidden = true;
      asking = null;
      resolve();
    }, { once: true });
  });
  return asking;
}

/** Where a player finds the audio of a recording: players cannot send a token. */
export async function audioAddress(recording) {
  const path = `/api/audio/${encodeURIComponent(recording)}`;
  if (!("needsToken" in document.body.dataset)) return address(path);
  const { ticket } = await askJson(`/api/tickets/${encodeURIComponent(recording)}`);
  return address(`${path}?ticket=${encodeURIComponent(ticket)}`);
}

/** Say something to those who do not see it. */
export function announce(text) {
  document.getElementById("announcement").textContent = text;
}

/** Seconds as m:ss.s. */
export function clock(seconds) {
  const tenths = Math.round(10 * seconds);
  const [hours, minutes] = [Math.floor(tenths / 36000), Math.floor(tenths / 600) % 60];
  const tail = `${String(Math.floor(tenths / 10) % 60).padStart(2, "0")}.${tenths % 10}`;
  return hours ? `${hours}:${String(minutes).padStart(2, "0")}:${tail}` : `${minutes}:${tail}`;
}

/** Terms as people type them: one a line, or separated by commas outside quotation marks. */
export function splitTerms(text) {
  const terms = text.match(/(?:"[^"\n\r]*"|[^,\n\r])+/gu) ?? [];
  return [...new Set(terms.map((term) => term.trim()).filter(Boolean))];
}

/** Whether a key belongs to what is being typed into. */
export function isTyping(event) {
  return event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]") !== null
    || event.target.closest?.("textarea, select, input:not([type=range]):not([type=checkbox])") !== null;
}

// What this person may do; the style leaves out the rest. Pages about the API ask nothing.
if ("needsToken" in document.body.dataset && document.body.className) {
  askJson("/api/me").then(({ may }) => { document.body.dataset.may = may.join(" "); }).catch(() => {});
}

const help = document.getElementById("help");
document.getElementById("help-button").addEventListener("click", () => help.showModal());
document.addEventListener("keydown", (event) => {
  if (event.key === "?" && !isTyping(event)) help.showModal();
});
