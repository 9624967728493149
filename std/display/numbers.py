"""Numbers, times and lengths of time in a sentence for a person."""


def about(number: float) -> str:
    """An expected count, rounded for a sentence.

    >>> about(28.9), about(1.2), about(0.42), about(0.01)
    ('about 29', 'about 1', 'about 0.4', 'less than 0.1')
    """
    if number < 0.05:
        return "less than 0.1"
    return f"about {number:,.0f}" if number >= 0.95 else f"about {number:.1f}"


def counted(number: int, noun: str) -> str:
    """A count with its noun.

    Args:
        number: the count.
        noun: an English noun in the singular, with a regular plural.

    >>> counted(1, "file"), counted(8822, "posting"), counted(0, "spoken query")
    ('1 file', '8,822 postings', '0 spoken queries')
    """
    if number != 1:
        noun = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{number:,} {noun}"


def clock(seconds: float) -> str:
    """A time in a recording, as h:mm:ss.s without leading zero hours.

    >>> clock(75.04), clock(3675.0)
    ('1:15.0', '1:01:15.0')
    """
    tenths = round(10 * seconds)
    minutes, tenths = divmod(tenths, 600)
    hours, minutes = divmod(minutes, 60)
    tail = f"{tenths // 10:02d}.{tenths % 10}"
    return f"{hours}:{minutes:02d}:{tail}" if hours else f"{minutes}:{tail}"


def length(seconds: float) -> str:
    """A duration in a list, to the second.

    >>> length(94.2), length(3675.0)
    ('1:34', '1:01:15')
    """
    return clock(round(seconds)).removesuffix(".0")


def duration(seconds: float) -> str:
    """A duration in a sentence.

    >>> duration(7.4), duration(75), duration(3725)
    ('7 s', '1 min 15 s', '1 h 02 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole // 60 % 60:02d} min"
