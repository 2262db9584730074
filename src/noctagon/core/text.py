"""What somebody else wrote, as it is repeated: a long text without its middle, and nothing a terminal would obey."""

from __future__ import annotations

LONGEST_QUOTE = 200


def shortened(text: str, most: int) -> str:
    """So many letters of a text at most, from its beginning and its end, and how many were left out.

    >>> shortened("a" * 1000 + "b", 10)
    'aaaaa[… 991 letters …]aaaab'
    """
    if len(text) <= most:
        return text
    end = most // 2
    return f"{text[: most - end]}[… {len(text) - most:,} letters …]{text[-end:]}"


def quoted(answer: object) -> str:
    """An answer, whatever it is, in Python's own spelling.

    >>> quoted("C4 C9")
    "'C4 C9'"
    """
    try:
        return shortened(repr(answer), LONGEST_QUOTE)
    except Exception:  # a stranger's object may even fail at that
        return f"<{type(answer).__name__}>"


def plain(text: str, ascii_only: bool = False) -> str:
    """A line without anything that could move the cursor, change colours or rename the window.

    >>> plain("\\x1b[2Jgone?")
    '�[2Jgone?'
    """
    shown = "".join(letter if letter.isprintable() else "�" for letter in text.expandtabs())
    return shown.encode("ascii", "replace").decode() if ascii_only else shown
