"""One mapping path (METL 6.3): an attribute through the versions of its schema, and what it becomes in each; or back."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby

from entrepot.errors import EntrepotError
from entrepot.mapping.matrix.elements import Place, super_blocks
from entrepot.mapping.matrix.search import entity_version_of
from entrepot.mapping.matrix.state import State
from entrepot.mapping.matrix.trees import successors
from entrepot.mapping.matrix.words import known
from entrepot.mapping.trees import Version

Target = tuple[str, int, str]


@dataclass(frozen=True, slots=True)
class Stop:
    """Versions, one after the other, in which an attribute is the same.

    Attributes:
        versions: lowest first
        attribute: its name there
        data_type: its type there; None where nobody has said it
        targets: what it becomes: (entity, entity version, entity attribute), sorted
    """

    versions: tuple[int, ...]
    attribute: str
    data_type: str | None
    targets: tuple[Target, ...]


@dataclass(frozen=True, slots=True)
class Path:
    """The life of an attribute, from the version that brought it to the one after which it is gone.

    Attributes:
        schema: its schema
        stops: what it was, one after the other
        ends_before: the first version without it; None where the newest has it
    """

    schema: str
    stops: tuple[Stop, ...]
    ends_before: int | None


def paths_from(state: State, schema: str, attribute: str) -> list[Path]:
    """Return the lives of a schema's attribute, under whatever names; several where it came back.

    Raises:
        EntrepotError: there is no such schema, or none of its versions has the attribute
    """
    versions = state.domain.schemas[known("schema", schema, state.domain.schemas)]
    known(f"attribute of {schema}", attribute, sorted({name for version in versions for name in version.names}))
    return [path for path in lives(state, schema) if any(stop.attribute == attribute for stop in path.stops)]


def paths_to(state: State, entity: str, entity_attribute: str, version: int | None = None) -> list[Path]:
    """Return the lives of all attributes that become an attribute of an entity in any of their versions.

    Raises:
        EntrepotError: there is no such entity, version or attribute
    """
    number = entity_version_of(state, entity, version)
    known(f"attribute of {entity}", entity_attribute, sorted(state.range.names(entity, number)))
    target = (entity, number, entity_attribute)
    schemas = [schema for schema, entities in super_blocks(state.balanced_set).items() if entity in entities]
    found = [path for schema in schemas for path in lives(state, schema)]
    found = [path for path in found if any(target in stop.targets for stop in path.stops)]
    if not found:
        raise EntrepotError(
            f"Nothing becomes {entity_attribute} of {entity}.", "`entrepot mapping search` says what is fed."
        )
    return found


def lives(state: State, schema: str) -> list[Path]:
    """Return the lives of all attributes that a schema of the domain tree has had: those that are gone first."""
    entities = state.feeds.get(schema, ())
    living: dict[str, list[Stop]] = {}
    found: list[Path] = []
    before: Version | None = None
    for version in state.domain.schemas[schema]:
        kept = successors(before, version)
        found += [Path(schema, _folded(stops), version.number) for name, stops in living.items() if name not in kept]
        living = {kept[name]: stops for name, stops in living.items() if name in kept}
        targets = _targets(state, version, entities)
        for one in version.attributes:
            stop = Stop((version.number,), one.name, one.data_type, targets.get(one.name, ()))
            living.setdefault(one.name, []).append(stop)
        before = version
    return found + [Path(schema, _folded(stops), None) for stops in living.values()]


def _targets(state: State, version: Version, entities: Iterable[str]) -> dict[str, tuple[Target, ...]]:
    found: dict[str, list[Target]] = {}
    for entity in entities:
        for one in state.block(Place(version.schema, version.number, entity)):
            found.setdefault(one.attribute, []).append((entity, one.entity_version, one.entity_attribute))
    return {name: tuple(sorted(targets)) for name, targets in found.items()}


def _folded(stops: list[Stop]) -> tuple[Stop, ...]:
    """Stops in which nothing changes become one."""
    groups = groupby(stops, key=lambda stop: (stop.attribute, stop.data_type, stop.targets))
    return tuple(Stop(tuple(one.versions[0] for one in group), *same) for same, group in groups)
