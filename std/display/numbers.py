"""Numbers in a sentence for a person."""


def about(number: float) -> str:
    """An expected count, with the precision that an expectation deserves.

    >>> about(28.9), about(1.2), about(0.42), about(0.01)
    ('about 29', 'about 1', 'about 0.4', 'less than 0.1')
    """
    if number < 0.05:
        return "less than 0.1"
    return f"about {number:,.0f}" if number >= 0.95 else f"about {number:.1f}"


def counted(number: int, noun: str) -> str:
    """How many there are of something.

    Args:
        number: of it.
        noun: what it is, in the singular; an English noun with a regular plural.

    >>> counted(1, "file"), counted(8822, "posting"), counted(0, "spoken query")
    ('1 file', '8,822 postings', '0 spoken queries')
    """
    if number != 1:
        noun = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{number:,} {noun}"
