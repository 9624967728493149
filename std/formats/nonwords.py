"""What recognisers write where no word was spoken, and how they mark pronunciation variants.

A confusion network holds words only. Tokens for silence, noise and the empty word become the
slot's epsilon mass ("no word here"); a word the recogniser heard but cannot spell (`<unk>`) is
neither: it takes its mass with it, so that a phrase cannot be joined across it.
"""

import re
from collections.abc import Iterable

# Compared without regard to case. Sources: SRILM (*DELETE*, -pause-, <s>), HTK (!NULL,
# !SENT_START, sil), Kaldi (<eps>, SIL, !SIL, <SPOKEN_NOISE>), PocketSphinx (<sil>, [NOISE],
# ++NOISE++), NIST (@, %HESITATION as written by IBM), DSTC2 (!null), BABEL (<hes>, ~SIL).
NON_WORDS = frozenset(
    """
    *DELETE* @ <eps> <epsilon> <null> !NULL null_word
    <s> </s> !SENT_START !SENT_END !ENTER !EXIT <bos> <eos>
    -pause- <pause> [pause] <sil> </sil> !SIL sil <silence> [silence] ~SIL #0
    [noise] <noise> ++noise++ <spoken_noise> [spn] <spn> <nsn> [nsn] [vn] [vocalized-noise]
    [laughter] <laughter> ++laugh++ <laugh> [breath] <breath> ++breath++ ++cough++ [cough] <cough>
    ++smack++ [smack] [lipsmack] <lipsmack> <click> <ring> <dtmf> <int> <sta> <foreign>
    [music] <music> [speech] [tone] ++beep++
    -hes- <hes> [hes] %HESITATION [hesitation] ++uh++ ++um++
    """.lower().split()
)

UNKNOWN_WORDS = frozenset(["<unk>", "[unk]", "<oov>", "[oov]", "!!unk", "<unk_word>"])

LONGEST_PLAIN = max(len(token) for token in NON_WORDS | UNKNOWN_WORDS if token.isalnum())

_VARIANT = re.compile(r"(?<=.)\(\d+\)$")


def spoken(token: str) -> str | None:
    """Return the word a token stands for; "" for a non-word, None for a word it cannot name.

    >>> spoken("and(2)"), spoken("-pause-"), spoken("<unk>")
    ('and', '', None)
    """
    word = _VARIANT.sub("", token)
    folded = word.lower()
    if folded in NON_WORDS:
        return ""
    return None if folded in UNKNOWN_WORDS else word


def replacements(tokens: Iterable[str]) -> dict[str, str | None]:
    """Return `spoken` for those of the tokens that do not stand for themselves."""
    odd = [token for token in tokens if len(token) <= LONGEST_PLAIN or not token.isalnum()]
    meanings = {token: spoken(token) for token in odd}
    return {token: word for token, word in meanings.items() if word != token}
