// The list of recordings; with a token, it comes from the service by a request that has it.
import { announce, ask } from "./shell.js";
import "./uploads.js";

const place = document.getElementById("browsed");
if (!place.children.length) {
  document.getElementById("text").value = new URLSearchParams(location.search).get("text") ?? "";
  ask(`/page/recordings${location.search}`)
    .then((answer) => answer.text())
    .then((html) => { place.innerHTML = html; })
    .catch((error) => { place.textContent = error.message; announce(error.message); });
}
