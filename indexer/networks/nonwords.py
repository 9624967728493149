"""Tokens of recognisers for places without a word, and their marks of pronunciation variants.

A confusion network holds words only. Three kinds of tokens are not words:

    silence      the empty word, sentence ends, pauses: the slot's epsilon mass ("no word here")
    noise        laughter, music, hesitations, remarks such as ``(speaking German)``: epsilon, too,
                 and counted; `Nonwords` may keep them as if they were words
    unknown      a word the recogniser cannot spell (``<unk>``): removed with its mass, so that a
                 phrase cannot be joined across it

    spoken, replacements    tokens -> words
    remarks                 text -> its remarks, such as ``(laughs)``
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache

# Compared without regard to case. Sources: SRILM (*DELETE*, -pause-, <s>), HTK (!NULL,
# !SENT_START, sil), Kaldi (<eps>, SIL, !SIL), Moses (*EPS*), PocketSphinx (<sil>), NIST (@),
# DSTC2 (!null), BABEL (~SIL).
SILENCES = frozenset(
    """
    *DELETE* *EPS* @ <eps> <epsilon> <null> !NULL null_word
    <s> </s> !SENT_START !SENT_END !ENTER !EXIT <bos> <eos>
    -pause- <pause> [pause] <sil> </sil> [sil] !SIL sil <silence> [silence] ~SIL #0
    """.lower().split()
)

# Beyond what stands in brackets, as Kaldi's [noise] and <SPOKEN_NOISE>, PocketSphinx's [COUGH] and
# ++NOISE++, Fisher's {breath}, IBM's %HESITATION.
NOISES = frozenset(["-hes-"])

UNKNOWN_WORDS = frozenset(["<unk>", "[unk]", "<oov>", "[oov]", "!!unk", "<unk_word>"])

# Beginnings of words that remarks in round brackets are made of, in the languages that
# Whisper's remarks were seen in: capitals may be a name that was spoken, "(WHO)".
SOUNDS = re.compile(
    r"(?i)\b(laugh|chuckl|giggl|music|musik|músic|musique|muziek|appla|aplau|clap|cheer|sigh|cough"
    r"|breath|inhal|exhal|gasp|groan|scream|whisper|sniff|sneez|sob|crying|nois|silen|stille|pause"
    r"|inaudi|unintelli|unverständ|indistinct|crosstalk|speak|spricht|singing|singt|foreign|beep"
    r"|ring|bell|lach|gelächter|gelach|husten|seufz|rausch|räusper|geräusch|rires?\b|soupir|bruit"
    r"|toux|risa|rumor|ruido|toss|sospir|suspir|skratt|latter)"
)

LONGEST_REMARK = 100  # characters: what closes later may be another bracket

# Square and curly ones, and as East Asian texts write them: square, lenticular, round.
_BRACKETS = "|".join(
    rf"{re.escape(a)}[^{re.escape(a + b)}\n]{{1,{LONGEST_REMARK}}}{re.escape(b)}"
    for a, b in ("[]", "{}", "\uff3b\uff3d", "\u3010\u3011", "\uff08\uff09")
)
_NOTES = "\u2669\u266a\u266b\u266c\U0001f3b5\U0001f3b6"
_REMARK = re.compile(
    _BRACKETS
    + r"|<[^\s<>][^<>\n]{0,60}>"
    + r"|(?<![\w*])\*(?!\*)[^*\n]{1,60}\*(?![\w*])"
    + r"|(?<!\w)\((?P<round>[^()\n]{1,100})\)(?!\w)"
    + r"|(?<!\S)%[^\W\d_]\w*"
    + rf"|[{_NOTES}]+"
)
_BEGINNINGS = frozenset("[{(<*%+-\uff3b\u3010\uff08" + _NOTES)
_AROUND = " \t.,;:!?\u2026\"'\u2013\u2014-\u00bb\u00ab\u201c\u201d\u201e"  # a remark
_FILLER = re.compile(r"\+\+.+\+\+")
_WHOLE = re.compile(r"\([^()\d]*\)|\*[^*\d]+\*")
_ROUND_PLAIN = re.compile(r"[^\W\d_]{3,}(?: [^\W\d_]{2,})?")  # one word or two
_LAUGHED = re.compile(r"\[laughter-(.+)\]", re.IGNORECASE)  # a word said laughing (Switchboard)
_VARIANT = re.compile(r"(?<=.)\(\d+\)$")

LONGEST_PLAIN = max(len(token) for token in SILENCES | UNKNOWN_WORDS if token.isalnum())


class Nonwords:
    """Whether noises are kept, and how many of each were dropped.

    The non-words of one reading; ``keep`` is the user's choice.
    """

    __slots__ = ("dropped", "keep")

    def __init__(self, keep: bool = False) -> None:
        self.keep = keep
        self.dropped: Counter[str] = Counter()  # by the token in small letters

    def drop(self, token: str, count: int = 1) -> None:
        """Count tokens that are left out."""
        self.dropped[token.lower()] += count


@lru_cache(maxsize=1 << 16)  # files share most of their words
def spoken(token: str, keep_noises: bool = False) -> str | None:
    """Return the word a token stands for; "" for a non-word, None for a word it cannot name.

    >>> spoken("and(2)"), spoken("-pause-"), spoken("[noise]"), spoken("<unk>")
    ('and', '', '', None)
    """
    word = _VARIANT.sub("", token)
    folded = word.lower()
    if folded in SILENCES:
        return ""
    if folded in UNKNOWN_WORDS:
        return None
    if laughed := _LAUGHED.fullmatch(word):
        return laughed[1]
    return "" if not keep_noises and is_noise(word) else word


def replacements(tokens: Iterable[str], keep_noises: bool = False) -> dict[str, str | None]:
    """Return `spoken` for those tokens that it changes."""
    odd = [token for token in tokens if len(token) <= LONGEST_PLAIN or not token.isalnum()]
    meanings = {token: spoken(token, keep_noises) for token in odd}
    return {token: word for token, word in meanings.items() if word != token}


def is_noise(token: str) -> bool:
    """Whether a token is a sound other than a word.

    >>> [is_noise(one) for one in ("(laughs)", "[Music]", "%HESITATION", "(WHO)", "<unk>")]
    [True, True, True, False, False]
    """
    if token[:1] not in _BEGINNINGS:
        return False
    if token.lower() in NOISES or _FILLER.fullmatch(token):
        return True
    found = _REMARK.fullmatch(token)
    return found is not None and _is_remark(found)


def remarks(text: str) -> Iterator[tuple[int, int]]:
    """Yield the remarks of a text: ``(laughs)``, ``[leise Musik]``, ``♪``.

    Round brackets and asterisks may hold what was spoken. They are a remark if the text has nothing
    else, if they name a sound, or, for round ones, if they hold one or two words in small letters.
    """
    whole = _WHOLE.fullmatch(text.strip(_AROUND))
    for found in _REMARK.finditer(text):
        if _is_remark(found) or (whole and found[0][0] in "(*"):
            yield found.span()


def _is_remark(found: re.Match[str]) -> bool:
    token = found[0]
    if token.lower() in UNKNOWN_WORDS:
        return False
    if token[0] == "*":
        return bool(SOUNDS.search(token))
    if found["round"] is None:
        return True
    inside = found["round"].strip()
    plain = _ROUND_PLAIN.fullmatch(inside)
    return bool(SOUNDS.search(inside)) or (plain is not None and inside == inside.lower())
