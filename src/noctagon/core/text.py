"""Text for people: other people's words, made short and harmless, and numbers with their unit."""

from __future__ import annotations

LONGEST_QUOTE = 200


def shortened(text: str, most: int) -> str:
    """Return at most `most` letters of a text, from its beginning and its end, with the number that were left out.

    >>> shortened("a" * 1000 + "b", 10)
    'aaaaa[… 991 letters …]aaaab'
    """
    if len(text) <= most:
        return text
    end = most // 2
    return f"{text[: most - end]}[… {len(text) - most:,} letters …]{text[-end:]}"


def quoted(answer: object) -> str:
    """Return an answer, of any type, in Python's own spelling.

    >>> quoted("C4 C9")
    "'C4 C9'"
    """
    try:
        return shortened(repr(answer), LONGEST_QUOTE)
    except Exception:  # an object of a user's bot may even fail at that
        return f"<{type(answer).__name__}>"


def plain(text: str, ascii_only: bool = False) -> str:
    """Return a line without anything that could move the cursor, change colours or rename the window.

    >>> plain("\\x1b[2Jgone?")
    '�[2Jgone?'
    """
    shown = "".join(letter if letter.isprintable() else "�" for letter in text.expandtabs())
    return shown.encode("ascii", "replace").decode() if ascii_only else shown


def describe_count(number: float) -> str:
    """Return a large number in few characters.

    >>> [describe_count(number) for number in (0, 950, 1234, 12_345, 999_999, 3_400_000)]
    ['0', '950', '1.2k', '12k', '1.0M', '3.4M']
    """
    if abs(number) < 1000:
        return f"{number:.0f}"
    for unit in "kMGT":
        number /= 1000
        if abs(number) < 9.95:
            return f"{number:.1f}{unit}"
        if abs(number) < 999.5 or unit == "T":
            return f"{number:.0f}{unit}"
    raise AssertionError("the last unit takes every number")


def describe_plies(number: int) -> str:
    """Return a number of plies in words."""
    return "1 ply" if number == 1 else f"{number} plies"


def describe_games(number: int) -> str:
    """Return a number of games in words."""
    return "1 game" if number == 1 else f"{number} games"


def describe_nodes(number: int) -> str:
    """Return a number of nodes in words."""
    return "1 node" if number == 1 else f"{describe_count(number)} nodes"
