"""What a change costs that German compounds make anyway: linking elements, umlauts, endings.

"Sitzungs" for Sitzung or "Gänse" for Gans is hardly evidence against a split, two arbitrary
letters are. The costs are on the scale of one arbitrary edit = 1.
"""

LINKING_COST = 0.3
DROPPED_COST = 0.4
PLURAL_COST = 0.5
UMLAUT_COST = 0.2

LINKING = ("s", "es", "n", "en", "er", "e", "ns", "ens")  # Sitzung-s, Tag-es, Kind-er
DROPPED = ("e", "en", "n")  # Schul(e), ess(en), schweige(n)
PLURALS = (  # what the word ends in, what the segment ends in instead
    ("us", "en"),  # Aphorismus, Aphorismen
    ("um", "en"),  # Museum, Museen
    ("um", "a"),
    ("on", "en"),  # Stadion, Stadien
    ("on", "a"),  # Pharmakon, Pharmaka
    ("is", "en"),  # Basis, Basen
    ("a", "en"),  # Firma, Firmen
    ("", "ien"),  # Prinzip, Prinzipien
)
ENDINGS = (
    {("", ""): 0.0}
    | {(ending, ""): LINKING_COST for ending in LINKING}
    | {("", ending): DROPPED_COST for ending in DROPPED}
    | {(segment, word): PLURAL_COST for word, segment in PLURALS}
)  # (end of the segment, end of the word) -> cost

PLAIN = str.maketrans("äöü", "aou")


def formation_cost(segment: str, word: str, distance: int) -> float:
    """Cost of reading a segment as a word: at most their Levenshtein distance.

    Args:
        segment: letters of the term's word.
        word: of the vocabulary.
        distance: their Levenshtein distance.

    >>> formation_cost("sitzungs", "sitzung", 1), formation_cost("blätter", "blatt", 3)
    (0.3, 0.5)
    >>> formation_cost("sitzung", "spitzung", 1)
    1.0
    """
    if not distance:
        return 0.0
    plain, other = segment.translate(PLAIN), word.translate(PLAIN)
    shared = 0
    for a, b in zip(plain, other, strict=False):
        if a != b:
            break
        shared += 1
    ending = ENDINGS.get((segment[shared:], word[shared:]))
    if ending is None:
        return float(distance)
    umlauts = sum(a != b for a, b in zip(segment[:shared], word[:shared], strict=True))
    return min(float(distance), ending + UMLAUT_COST * umlauts)
