"""Numbers and names in words, and names that somebody may have meant."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from difflib import get_close_matches

from entrepot.errors import EntrepotError


def spans(numbers: Iterable[int], order: Sequence[int]) -> str:
    """Return versions in words; those that follow each other among all versions become one span.

    >>> spans([1, 2, 5, 9], order=[1, 2, 5, 7, 9])
    '1 to 5, 9'
    """
    places = sorted(order.index(number) for number in numbers)
    runs: list[list[int]] = []
    for place in places:
        if runs and place == runs[-1][-1] + 1:
            runs[-1].append(place)
        else:
            runs.append([place])
    words = (
        f"{order[run[0]]} to {order[run[-1]]}" if len(run) > 2 else ", ".join(str(order[place]) for place in run)
        for run in runs
    )
    return ", ".join(words)


def known(kind: str, name: str, names: Collection[str]) -> str:
    """Return a name that there is.

    Raises:
        EntrepotError: there is none such; with those that are like it
    """
    if name in names:
        return name
    plain = {one.casefold(): one for one in names}
    near = [plain[one] for one in get_close_matches(name.casefold(), plain, n=3)] or sorted(names)[:5]
    raise EntrepotError(
        f"There is no {kind} {name}.", f"There is {', '.join(near)}." if near else "There is none at all."
    )
