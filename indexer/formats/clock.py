"""Times as captions write them.

    CLOCK     the pattern of one: hours may be missing, decimals follow a comma or a point
    seconds   the groups of a match -> seconds

Three groups and the decimals as a fourth; hours have up to four digits, as recordings of weeks
have.
"""

CLOCK = r"(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})(?:[,.](\d{1,9}))?"


def seconds(hours: str | None, minutes: str, whole: str, decimals: str | None) -> float:
    """Return the seconds of a time that was matched by `CLOCK`.

    >>> seconds(None, "01", "02", "5"), seconds("1", "00", "00", "000")
    (62.5, 3600.0)
    """
    total = 60 * int(minutes) + int(whole) + (3600 * int(hours) if hours else 0)
    return total + int(decimals) / 10 ** len(decimals) if decimals else float(total)
