"""std-search: options that would say nothing beside others are refused, before anything is done."""

import pytest

from searcher.commands.arguments import parser
from searcher.commands.command_line import NEEDED, misuse, option

VALUES = {"dialect": "kws2013", "no_default_score": None, "clip_format": "wav"}
VALUES |= {"clip_around": "2", "markers_for": "avid", "frame_rate": "24"}


def told(*arguments):
    parse = parser()
    return misuse(parse.parse_args(["--store", "index", *arguments]), parse)


@pytest.mark.parametrize("name", NEEDED)
def test_how_to_do_what_is_not_done(name):
    value = VALUES.get(name, "x")
    given = [option(name), *([value] if value else [])]
    files = {
        "output": ["--output", "x", "--terms", "x"],
        "timeline": ["--timeline", "x.edl", "haus"],
    }
    assert told("haus", *given).startswith(f"{option(name)} goes with --")
    for needed in NEEDED[name]:
        beside = files.get(needed, [option(needed), "x", "haus"])
        assert told(*given, *beside) == ""


@pytest.mark.parametrize(
    "line", ["haus", "--terms x", "--terms x --output y --ecf z", "--like a@1-2"]
)
def test_options_at_their_defaults_go_with_everything(line):
    assert told(*line.split()) == ""
    assert told(*line.split(), "--clip-around", "0.5", "--frame-rate", "25") == ""


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("haus --unit recording --timeline x.edl", "--unit finds"),
        ("haus --unit turn --corrections x", "--unit finds"),
        ("haus --unit turn --within-words none", "--unit finds"),
        ("--like a@1-2 --corrections x", "--like and --query-audio compare"),
        ("--like a@1-2 --listen-again x", "--like and --query-audio compare"),
        ("--query-audio x.sound --within-words none", "--like and --query-audio compare sound"),
    ],
)
def test_what_would_be_ignored(line, message):
    assert told(*line.split()).startswith(message)
