"""The steps of the benchmark: each algorithm once, with its seconds, on a state that has been read from seeds."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

from entrepot.mapping.matrix.compaction import to_balanced_set, to_unique_set
from entrepot.mapping.matrix.decompaction import from_unique_set, to_matrix
from entrepot.mapping.matrix.elements import Blocks
from entrepot.mapping.matrix.messages import Message
from entrepot.mapping.matrix.parallel import ColumnSets, parallel_mapping
from entrepot.mapping.matrix.review import reviews
from entrepot.mapping.matrix.seeded import seeds_of, state_of
from entrepot.mapping.matrix.sequential import column_super_block, sequential_mapping
from entrepot.mapping.matrix.size import Size, size_of
from entrepot.mapping.matrix.state import State
from entrepot.mapping.matrix.update import entity_version_added, schema_version_added, schema_version_deleted
from entrepot.mapping.page.content import content
from entrepot.mapping.page.document import document

Result = TypeVar("Result")


@dataclass
class Figures:
    """What one mapping has shown.

    Attributes:
        name: whose mapping
        size: its size
        seconds: {step: wall seconds}
        microseconds: {algorithm: of one message}
        page_bytes: how large its page is
    """

    name: str
    size: Size
    seconds: dict[str, float] = field(default_factory=dict)
    microseconds: dict[str, float] = field(default_factory=dict)
    page_bytes: int = 0

    def timed(self, step: str, run: Callable[[], Result]) -> Result:
        """Run a step and note its seconds."""
        gc.collect()
        began = time.perf_counter()
        result = run()
        self.seconds[step] = time.perf_counter() - began
        return result


def measure(name: str, folder: Path, messages: int) -> Figures:
    """Run all steps on the seeds of a folder.

    Args:
        name: what to call it
        folder: the folder of the three seeds
        messages: how many messages algorithm 6 maps; algorithm 1 maps one of a hundred of them

    Raises:
        EntrepotError: the seeds cannot be read, or contradict each other
        AssertionError: the round trip is not the identity, or the two mappings differ
    """
    began = time.perf_counter()
    state = state_of(seeds_of(folder))
    read = time.perf_counter() - began
    unique_set = state.unique_set()
    figures = Figures(name, size_of(state, unique_set), {"seeds read, checked, D_P computed": read})
    sets(figures, state, unique_set)
    updates(figures, state)
    figures.timed("what waits for a review", lambda: reviews(state))
    page = figures.timed("the page", lambda: document(content(state, name)))
    figures.page_bytes = len(page.encode())
    mappings(figures, state, messages)
    return figures


def sets(figures: Figures, state: State, unique_set: Blocks) -> None:
    """Compaction and decompaction, and all of them one after the other."""
    domain = state.domain
    balanced = figures.timed("D_U to D_P (algorithm 4)", lambda: from_unique_set(unique_set, domain))
    figures.timed("D_P to D_U (algorithm 3)", lambda: to_unique_set(balanced, domain))
    matrix = figures.timed("D_P to the 1s of M (algorithm 4)", lambda: to_matrix(balanced))
    figures.timed("M to D_P (algorithm 2)", lambda: to_balanced_set(matrix))

    def round_trip() -> Blocks:
        stored = to_unique_set(state.balanced_set, domain)
        return to_balanced_set(to_matrix(from_unique_set(stored, domain)))

    assert figures.timed("D_P to D_U to M to D_P", round_trip) == state.balanced_set


def updates(figures: Figures, state: State) -> None:
    """Triggers of algorithm 5, each once, on the schema and the entity that come first."""
    versions = next(iter(state.domain.schemas.values()))
    newest = versions[-1]
    added = replace(newest, number=newest.number + 1, attributes=newest.attributes[:-1])
    figures.timed("a schema version more (algorithm 5)", lambda: schema_version_added(state, added))
    figures.timed(
        "a schema version less (algorithm 5)", lambda: schema_version_deleted(state, newest.schema, versions[0].number)
    )
    entity, numbers = next(iter(state.range.entities.items()))
    last = max(numbers)
    figures.timed(
        "an entity version more (algorithm 5)", lambda: entity_version_added(state, entity, last + 1, numbers[last])
    )


def mappings(figures: Figures, state: State, count: int) -> None:
    """Messages through D_P by algorithm 6, and some of them through sparse blocks by algorithm 1."""
    versions = [version for some in state.domain.schemas.values() for version in some]
    messages = [
        Message(one.schema, one.number, dict.fromkeys(one.names, at))
        for at, one in ((at, versions[at * 7919 % len(versions)]) for at in range(count))
    ]
    columns = figures.timed("D_P by schema version (6.2)", lambda: ColumnSets.of(state))
    mapped = figures.timed(f"{count:,} messages (algorithm 6)", lambda: list(parallel_mapping(messages, columns)))
    figures.microseconds["6"] = 1e6 * figures.seconds[f"{count:,} messages (algorithm 6)"] / count
    some = messages[:: max(1, count // 100)]
    blocks = [column_super_block(state, one.schema, one.version) for one in some]
    step = f"{len(some):,} messages (algorithm 1)"
    sparse = figures.timed(step, lambda: [sequential_mapping(*one) for one in zip(some, blocks, strict=True)])
    figures.microseconds["1"] = 1e6 * figures.seconds[step] / len(some)
    filled = [one.dense() for sent in sparse for one in sent if one.dense().payload]
    key = lambda one: (one.entity, one.entity_version, sorted(one.payload.items()))  # noqa: E731
    assert sorted(filled, key=key) == sorted(parallel_mapping(some, columns), key=key) and mapped
