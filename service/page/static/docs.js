// The page about the API has the list of keys, and nothing else that moves.
import "./shell.js";
