"""Starts of words that are left out where they are 0, as protocol buffers are written as JSON.

start_left_out    the start that a word without one has
"""

from std.json_fields import Part
from std.repairs import NO_START


def start_left_out(word: Part, end_s: float, before_s: float) -> float:
    """The start of a word that has none, in seconds: 0, if that may be.

    Args:
        word: as written.
        end_s: its end.
        before_s: the end of the word before; 0 of the first.

    Raises:
        InputError: it is missing where it is not 0, and must not be estimated.
    """
    if not 0 < before_s < end_s:
        return 0.0
    word.repairs.note(NO_START, word.error("a word with its start"))
    return before_s
