"""What is asked of a registry: the versions of the subjects that are wanted, of their keys, and what these refer to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fnmatch import fnmatchcase

from entrepot.errors import EntrepotError
from entrepot.registry.client import NotThereError, Registry
from entrepot.registry.definitions import Definition, Definitions, Reference

VALUE, KEY = "-value", "-key"
AT_ONCE = 8  # questions under way at the same time
NAMED = 20  # subjects that a message names


@dataclass(frozen=True, slots=True)
class Asked:
    """Which subjects somebody wants.

    Attributes:
        patterns: names with `*` and `?`; none means those of messages' values, `<topic>-value`
        excluded: patterns of subjects to leave out
    """

    patterns: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()

    def chooses(self, subject: str) -> bool:
        """Whether a subject is wanted."""
        return _matches(subject, self.patterns or (f"*{VALUE}",)) and not _matches(subject, self.excluded)

    def chooses_key(self, subject: str) -> bool:
        """Whether a subject is that of a wanted topic's keys."""
        return subject.endswith(KEY) and self.chooses(f"{subject.removesuffix(KEY)}{VALUE}")


@dataclass(frozen=True, slots=True)
class Answer:
    """What a registry has.

    Attributes:
        subjects: all of it, by name
        chosen: those that were asked for, without keys
        definitions: all versions of these, of their keys, and all that they refer to
    """

    subjects: tuple[str, ...]
    chosen: tuple[str, ...]
    definitions: Definitions

    def of(self, subject: str) -> list[Definition]:
        """Return the versions of a subject, lowest first."""
        return sorted((one for one in self.definitions.values() if one.subject == subject), key=lambda one: one.version)

    def left(self) -> list[str]:
        """Return the subjects that nothing has been read of."""
        read = {one.subject for one in self.definitions.values()} | {*self.chosen}
        return [subject for subject in self.subjects if subject not in read]


def schema_of(subject: str) -> str:
    """Return the name of the source schema of a subject.

    >>> schema_of("shop.sales.customer-value"), schema_of("com.acme.Customer")
    ('shop.sales.customer', 'com.acme.Customer')
    """
    return subject.removesuffix(VALUE)


def key_of(subject: str) -> str:
    """Return the subject of the keys of a topic's messages.

    >>> key_of("shop.sales.customer-value")
    'shop.sales.customer-key'
    """
    return f"{schema_of(subject)}{KEY}"


def answer_of(registry: Registry, asked: Asked) -> Answer:
    """Ask a registry.

    Raises:
        EntrepotError: a pattern names no subject
        EnvironmentProblemError: the registry does not answer, or not as one does
    """
    subjects = registry.subjects()
    for pattern in (*asked.patterns, *asked.excluded):
        if not any(fnmatchcase(subject, pattern) for subject in subjects):
            there = f"{', '.join(subjects[:NAMED])}{' …' if len(subjects) > NAMED else ''}" if subjects else "none"
            raise EntrepotError(f"{pattern} names no subject of the registry.", f"It has {there}.")
    chosen = [subject for subject in subjects if asked.chooses(subject) and not _is_key(subject, asked)]
    keys = [key_of(subject) for subject in chosen if key_of(subject) in subjects]
    read = list(dict.fromkeys([*chosen, *keys]))
    with ThreadPoolExecutor(AT_ONCE) as pool:
        versions = pool.map(registry.versions, read)
        places = [(subject, number) for subject, some in zip(read, versions, strict=True) for number in some]
        found = dict(zip(places, pool.map(lambda place: _asked(registry, *place), places), strict=True))
    definitions = {place: one for place, one in found.items() if one is not None}
    definitions |= _referred(registry, definitions)
    return Answer(tuple(subjects), tuple(chosen), definitions)


def _is_key(subject: str, asked: Asked) -> bool:
    """Whether a subject is that of keys, and nobody has named it."""
    return subject.endswith(KEY) and subject not in asked.patterns


def _asked(registry: Registry, subject: str, version: int, *, deleted: bool = False) -> Definition | None:
    """A version of a subject; None where it has been deleted meanwhile."""
    try:
        return registry.definition(subject, version, deleted=deleted)
    except NotThereError:
        return None


def _referred(registry: Registry, definitions: Definitions) -> dict[tuple[str, int], Definition]:
    """All that definitions refer to, and these in turn, as far as the registry has it; deleted versions, too."""
    found: dict[tuple[str, int], Definition] = {}
    asked: set[tuple[str, int]] = set(definitions)
    waiting = _places(one.references for one in definitions.values())
    while waiting:
        place = waiting.pop()
        if place in asked:
            continue
        asked.add(place)
        if one := _asked(registry, *place, deleted=True):
            found[place] = one
            waiting += _places([one.references])
    return found


def _places(references: Iterable[Sequence[Reference]]) -> list[tuple[str, int]]:
    return [(one.subject, one.version) for some in references for one in some]


def _matches(subject: str, patterns: Iterable[str]) -> bool:
    return any(fnmatchcase(subject, pattern) for pattern in patterns)
