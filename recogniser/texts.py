"""What was said, for reading and for grep, beside the networks: NAME.txt and NAME.json.

    write     both, from a finished file of networks

NAME.json is Whisper's own form: text, language, segments with words, their times and
probabilities. A window is a segment; its words are the likeliest of each slot.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

from std.outputs import open_output


def write(networks: Path) -> None:
    """Write the text of a finished recording in both forms.

    Raises:
        InputError: they cannot be written.
    """
    segments = list(_segments(networks))
    text = "".join(f"{segment['text'].strip()}\n" for segment in segments if segment["text"])
    document = {
        "text": " ".join(segment["text"].strip() for segment in segments if segment["text"]),
        "language": segments[0]["language"] if segments else "",
        "segments": [{k: v for k, v in one.items() if k != "language"} for one in segments],
    }
    with open_output(networks.with_suffix(".json")) as sink:
        sink.write(json.dumps(document, ensure_ascii=False, indent=1).encode() + b"\n")

    with open_output(networks.with_suffix(".txt")) as sink:
        sink.write(text.encode())  # last: where it is, both are


def _segments(networks: Path) -> Iterator[dict[str, Any]]:
    with networks.open("rb") as stream:
        for number, raw in enumerate(stream):
            line = orjson.loads(raw)
            words = [
                {"word": f" {word}", "start": start, "end": end, "probability": posterior}
                for slot in line["slots"]
                for word, posterior, start, end in slot["w"][:1]
                if posterior >= slot["eps"]
            ]
            yield {
                "id": number,
                "channel": line["channel"],
                "start": line["start"],
                "end": line["end"],
                "text": line.get("text", "".join(word["word"] for word in words)),
                "language": line.get("language", ""),
                "words": words,
            }
