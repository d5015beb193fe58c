"""What a registry has as versions of source schemas: which are new, which the seed has already, and what the registry has no more."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from entrepot.errors import EntrepotError
from entrepot.mapping.connect import recorded_type, travels_as
from entrepot.mapping.names import fits_a_seed
from entrepot.mapping.paths import same_reach
from entrepot.mapping.trees import Attribute, Version, as_named, with_inner
from entrepot.registry.asking import Answer, Asked, key_of, schema_of
from entrepot.registry.definitions import Definition, UnreadableError
from entrepot.registry.kept import Kept, written
from entrepot.registry.reading import row_of
from entrepot.registry.shape import NoRowError, Shape

TOLD = 5  # schemas that cannot be read, told at once
Numbered = Mapping[str, tuple[Version, ...]]


@dataclass(frozen=True, slots=True)
class Pull:
    """What becomes of the repository.

    Attributes:
        versions: schema versions to register, by schema and number
        kept: all that has been pulled, afterwards
        notes: what is not in the registry any more, or is another schema there, as sentences
        left: {subject: why it is no source schema}
    """

    versions: tuple[Version, ...]
    kept: tuple[Kept, ...]
    notes: tuple[str, ...]
    left: Mapping[str, str]


def pull_of(
    answer: Answer, asked: Asked, before: Sequence[Kept], registered: Iterable[Version], discovered: Iterable[Version]
) -> Pull:
    """Return what a registry's answer makes of the repository.

    A registry's version is the registered or discovered version that has the same attributes, as landing recognises one; else the next
    number of its schema. What has been pulled keeps its number.

    Args:
        answer: what the registry has
        asked: which subjects somebody wanted
        before: what has been pulled before
        registered: the versions of the seed schema_attribute
        discovered: versions that events have shown

    Raises:
        EntrepotError: a schema cannot be read, or a seed cannot say it
    """
    _refuse_another(answer, before)
    shapes, left = _shapes(answer)
    numbers = _Numbers(registered, discovered)
    former = {one.key: one.version for one in before}
    kept = {one.key: one for one in map(Kept, answer.definitions.values())}
    for subject, versions in shapes.items():
        keys = _keys(answer, subject)
        for definition, shape in versions:
            found = Kept(definition, schema_of(subject))
            number = numbers.number_of(found.schema, shape, keys, former.get(found.key))
            kept[found.key] = replace(found, version=number)
    notes: list[str] = []
    for one in before:
        is_wanted = asked.chooses(one.definition.subject) or asked.chooses_key(one.definition.subject)
        if one.key in kept:
            continue
        if is_wanted and one.version is not None and not numbers.has(one.schema, one.version):
            notes.append(f"{one} is not in the registry any more, and its version is not in the seed: forgotten.")
            continue
        kept[one.key] = one
        if is_wanted:
            notes.append(_gone(one, answer))
    return Pull(tuple(numbers.new()), tuple(kept.values()), tuple(notes), left)


def _refuse_another(answer: Answer, before: Iterable[Kept]) -> None:
    """Refuse a registry that is not the one whose schemas are in the repository.

    Raises:
        EntrepotError: one of its numbers is another schema there
    """
    texts = {one.definition.schema_id: one for one in before}
    for now in answer.definitions.values():
        one = texts.get(now.schema_id)
        if one is not None and written(one.definition.text) != written(now.text):
            raise EntrepotError(
                f"Schema {now.schema_id} of {one} in the repository is another one than schema {now.schema_id} of {now} in this registry: "
                "it is another registry, or has been made anew.",
                "A project keeps the schemas of one registry. Say its address (--url), or remove the folder registry and pull again.",
            )


class _Numbers:
    """Versions of source schemas by number; what is registered, discovered, and new."""

    def __init__(self, registered: Iterable[Version], discovered: Iterable[Version]) -> None:
        """Of the same number the registered version counts."""
        self._versions = {(one.schema, one.number): one for one in discovered}
        self._versions |= {(one.schema, one.number): replace(one, is_registered=True) for one in registered}
        self._new: list[Version] = []

    def number_of(self, schema: str, shape: Shape, keys: frozenset[str], known: int | None) -> int:
        """Return the number of the version that has the fields of a shape; where there is none, make one.

        Args:
            schema: the source schema
            shape: the fields
            keys: names of the key's fields
            known: the number that it had when it was pulled; None where it had none
        """
        if known is not None and (schema, known) in self._versions:
            found = self._versions[schema, known]
        else:
            same = [
                one for one in self._of(schema) if has_fields(one, as_named(shape.attributes(keys), one.attributes))
            ]
            if not same:
                return self._add(schema, shape, keys, known)
            found = max(same, key=lambda one: one.number)
        if not found.is_registered:
            shown = as_named(shape.attributes(keys), found.attributes)
            attributes = with_inner(shown, found.attributes)
            self._register(Version(schema, found.number, attributes, is_registered=True))
        return found.number

    def has(self, schema: str, number: int) -> bool:
        """Whether there is a version of a number."""
        return (schema, number) in self._versions

    def new(self) -> list[Version]:
        """Return the versions to register, by schema and number."""
        return sorted(self._new, key=lambda one: (one.schema, one.number))

    def _add(self, schema: str, shape: Shape, keys: frozenset[str], known: int | None) -> int:
        last = max((one.number for one in self._of(schema)), default=0)
        number = known or last + 1
        before = [one for one in self._of(schema) if one.number < number]
        last_known = max(before, key=lambda one: one.number).attributes if before else ()
        attributes = with_inner(as_named(shape.attributes(keys, last_known), last_known), last_known)
        self._register(Version(schema, number, attributes, is_registered=True))
        return number

    def _register(self, version: Version) -> None:
        self._versions[version.schema, version.number] = version
        self._new.append(version)

    def _of(self, schema: str) -> list[Version]:
        return [one for one in self._versions.values() if one.schema == schema]


def has_fields(version: Version, attributes: Sequence[Attribute]) -> bool:
    """Whether a version is that of some attributes, as landing has it: the same names as deep as both say, and no type travels otherwise."""
    types = {one.name: one.data_type for one in version.attributes}
    return same_reach(version.names, frozenset(one.name for one in attributes)) and not any(
        _differ(types.get(one.name), one.data_type) for one in attributes
    )


def _differ(one: str | None, other: str | None) -> bool:
    return bool(one and other) and travels_as(recorded_type(one or "")) != travels_as(recorded_type(other or ""))


def _shapes(answer: Answer) -> tuple[dict[str, list[tuple[Definition, Shape]]], dict[str, str]]:
    """The rows of the chosen subjects' versions, and which are no source schemas, and why.

    Raises:
        EntrepotError: some cannot be read; all of them are told
    """
    shapes: dict[str, list[tuple[Definition, Shape]]] = {}
    left: dict[str, str] = {}
    broken: list[tuple[Definition, str]] = []
    for subject in answer.chosen:
        for definition in answer.of(subject):
            try:
                shape = row_of(definition, answer.definitions)
                if not fits_a_seed(schema_of(subject)):
                    raise UnreadableError(
                        f"dbt reads the name of its source schema, {schema_of(subject)!r}, as nothing in a seed"
                    )
                if odd := [one.name for one in shape.fields if not fits_a_seed(one.name)]:
                    raise UnreadableError(f"dbt reads its field {odd[0]!r} as nothing in a seed")
                shapes.setdefault(subject, []).append((definition, shape))
            except NoRowError as error:
                left[subject] = str(error)
            except UnreadableError as error:
                broken.append((definition, str(error)))
        broken += _broken_keys(answer, subject)
    if broken:
        raise _unreadable(broken)
    return shapes, left


def _keys(answer: Answer, subject: str) -> frozenset[str]:
    """The names of the key's fields, as the newest version of the topic's keys has them; none where keys are no records."""
    versions = answer.of(key_of(subject))
    try:
        return (
            frozenset(one.name for one in row_of(versions[-1], answer.definitions).fields) if versions else frozenset()
        )
    except NoRowError:
        return frozenset()


def _broken_keys(answer: Answer, subject: str) -> Iterator[tuple[Definition, str]]:
    try:
        _keys(answer, subject)
    except UnreadableError as error:
        yield answer.of(key_of(subject))[-1], str(error)


def _unreadable(broken: Sequence[tuple[Definition, str]]) -> EntrepotError:
    told = "".join(f"\n  {definition}: {why}." for definition, why in broken[:TOLD])
    more = f"\n  and {len(broken) - TOLD} more." if len(broken) > TOLD else ""
    options = " ".join(f"--exclude '{subject}'" for subject in dict.fromkeys(one.subject for one, _ in broken[:TOLD]))
    return EntrepotError(
        f"{len(broken)} schema{'s' if len(broken) > 1 else ''} of the registry cannot be read:{told}{more}\n",
        f"Correct them there, or leave them out: {options}. Nothing has been written.",
    )


def _gone(one: Kept, answer: Answer) -> str:
    """What is told of a version that the registry does not have any more."""
    now = answer.definitions.get(one.definition.place)
    why = f"is another schema now, with id {now.schema_id}" if now else "is not in the registry any more"
    if one.version is None:
        return f"{one} {why}; its schema stays in the repository."
    way_out = f"`entrepot mapping delete {one.schema} {one.version}` takes them out."
    return f"{one} {why}; its rows, {one.schema} version {one.version}, stay in the seed. {way_out}"
