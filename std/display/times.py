"""Times and lengths of time for a person."""


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
    """A length of time in a list, to the second.

    >>> length(94.2), length(3675.0)
    ('1:34', '1:01:15')
    """
    return clock(round(seconds)).removesuffix(".0")


def duration(seconds: float) -> str:
    """A length of time in a sentence.

    >>> duration(7.4), duration(75), duration(3725)
    ('7 s', '1 min 15 s', '1 h 02 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole // 60 % 60:02d} min"
