"""Which new attribute of a version may be a lost one under another name: a score from name, type and place, for a person to judge."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from entrepot.mapping.matrix.trees import successors
from entrepot.mapping.names import canonical_name
from entrepot.mapping.paths import repeats_of
from entrepot.mapping.trees import Attribute, Version
from entrepot.mapping.types import canonical_type

# from this score on a pair is proposed, unless somebody says another
LIKELY = 0.6
NAME, TYPE, PLACE = 0.4, 0.3, 0.3
# so many attributes that change the same prefix in one version are no accident
SEVERAL = 2


@dataclass(frozen=True, slots=True, order=True)
class Rename:
    """A pair that may be one attribute.

    Attributes:
        before: the attribute that the version before has and this one has not
        after: the attribute that is new
        score: 0 to 1
    """

    before: str
    after: str
    score: float


def renames(before: Version, after: Version, at_least: float = LIKELY) -> list[Rename]:
    """Return the likely renames between a version and the next, the best first; each attribute is in one of them at most.

    Attributes whose rename the tree says already are left out. What is inside of arrays and maps goes on in such alone. The score adds
    how alike names are (without a prefix that most attributes of a version have), whether types are, and whether they stand at the same
    place: behind the same attribute that both versions have. Where several attributes change one prefix for another, what follows it
    decides, and the place does not matter.
    """
    said = successors(before, after)
    lost = [one for one in before.attributes if one.name not in said]
    new = [one for one in after.attributes if one.name not in said.values()]
    prefixes = _changed_prefixes(lost, new)
    old_stems, new_stems = _stems(before.attributes), _stems(after.attributes)
    old_places, new_places = (
        _places(before, set(said)),
        _places(after, set(said.values()), {v: k for k, v in said.items()}),
    )
    repeats = {one.name: [whole[-2:] for whole in repeats_of(one.name)] for one in (*lost, *new)}
    found = []
    for one in lost:
        for other in (other for other in new if repeats[other.name] == repeats[one.name]):
            if _prefixes(one.name, other.name) & prefixes:
                alike, place = 1.0, 1.0
            else:
                alike = _alike(old_stems[one.name], new_stems[other.name])
                place = _same_place(old_places[one.name], new_places[other.name])
            score = NAME * alike + TYPE * _same_type(one.data_type, other.data_type) + PLACE * place
            found.append(Rename(one.name, other.name, round(score, 2)))
    return _one_to_one(pair for pair in found if pair.score >= at_least)


def _one_to_one(pairs: Iterable[Rename]) -> list[Rename]:
    """The best pairs, each side once."""
    chosen: list[Rename] = []
    befores: set[str] = set()
    afters: set[str] = set()
    for pair in sorted(pairs, key=lambda one: (-one.score, one.before, one.after)):
        if pair.before not in befores and pair.after not in afters:
            chosen.append(pair)
            befores.add(pair.before)
            afters.add(pair.after)
    return chosen


def _prefixes(before: str, after: str) -> set[tuple[str, str]]:
    """The prefixes that make one name the other where what follows is the same, words or nothing before an underscore.

    >>> sorted(_prefixes("cu_name", "customer_name")), _prefixes("id", "name")
    ([('cu_', 'customer_')], set())
    """
    left, right = _plain(before), _plain(after)
    starts = [0, *(found.end() for found in re.finditer("_", left))]
    return {
        (left[:start], right[: len(right) - len(left[start:])])
        for start in starts
        if left[start:] and right.endswith(left[start:]) and _is_start(right, len(right) - len(left[start:]))
    }


def _is_start(name: str, place: int) -> bool:
    return place == 0 or name[place - 1] == "_"


def _changed_prefixes(lost: Sequence[Attribute], new: Sequence[Attribute]) -> set[tuple[str, str]]:
    """Pairs of prefixes that several pairs of attributes have in common."""
    counts = Counter(prefix for one in lost for other in new for prefix in _prefixes(one.name, other.name))
    return {prefix for prefix, count in counts.items() if count >= SEVERAL and prefix[0] != prefix[1]}


def _plain(name: str) -> str:
    return canonical_name(name) or name.lower()


def _stems(attributes: Sequence[Attribute]) -> dict[str, str]:
    """Names without their first word where most attributes of the version begin with it."""
    names = {one.name: _plain(one.name) for one in attributes}
    starts = Counter(plain.partition("_")[0] for plain in names.values() if plain.partition("_")[2])
    common = {word for word, count in starts.items() if count > 1 and count > len(names) / 2}
    return {
        name: plain.partition("_")[2] if plain.partition("_")[0] in common else plain for name, plain in names.items()
    }


def _alike(before: str, after: str) -> float:
    """How alike two names are, 0 to 1: by their letters, or by the words that they share where that is more."""
    words, others = set(before.split("_")), set(after.split("_"))
    shared = 2 * len(words & others) / (len(words) + len(others))
    return max(SequenceMatcher(None, before, after, autojunk=False).ratio(), shared)


def _same_place(before: tuple[str, int], after: tuple[str, int]) -> float:
    """1 at the same place, half behind the same attribute that both versions have."""
    return (0.5 if before[0] == after[0] else 0.0) + (0.5 if before == after else 0.0)


def _same_type(before: str | None, after: str | None) -> float:
    """1 for the same type, less where only its length, or only its kind, is the same; half where one is not known."""
    if not before or not after:
        return 0.5
    left, right = (" ".join(one.lower().split()) for one in (before, after))
    if left == right:
        return 1.0
    left, right = (re.split(r"[ (]", one, maxsplit=1)[0] for one in (left, right))
    if left == right:
        return 0.9
    return 0.7 if _kind(left) == _kind(right) else 0.0


def _kind(word: str) -> str:
    return "integer" if word.endswith("int") else canonical_type(word)


def _places(version: Version, kept: set[str], names: dict[str, str] | None = None) -> dict[str, tuple[str, int]]:
    """Where attributes stand: behind which attribute that both versions have, by its name before, and how far."""
    found: dict[str, tuple[str, int]] = {}
    last, distance = "", 0
    for one in version.attributes:
        if one.name in kept:
            last, distance = (names or {}).get(one.name, one.name), 0
        else:
            distance += 1
            found[one.name] = (last, distance)
    return found
