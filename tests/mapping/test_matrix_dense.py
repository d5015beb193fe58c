"""The algorithms in Python on random trees, against the paper's definitions on full matrices; no Spark.

ENTREPOT_MATRIX_CASES says how many trees, ENTREPOT_TEST_SEED which.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator

import pytest

from entrepot.errors import EntrepotError
from entrepot.mapping.matrix.compaction import to_balanced_set, to_unique_set
from entrepot.mapping.matrix.decompaction import from_unique_set, to_matrix
from entrepot.mapping.matrix.elements import One
from entrepot.mapping.matrix.report import report
from entrepot.mapping.matrix.seeded import state_of
from entrepot.mapping.matrix.state import State
from entrepot.mapping.matrix.update import (
    Update,
    entity_version_added,
    entity_version_deleted,
    schema_version_added,
    schema_version_deleted,
)
from entrepot.mapping.trees import EntityAttribute
from tests.mapping import dense_oracle as dense
from tests.mapping.in_python import seeds_of_case, stored_in_python, version_of
from tests.mapping.random_trees import FIELDS, Case, next_attributes, random_case

SEED = int(os.environ.get("ENTREPOT_TEST_SEED") or random.SystemRandom().randrange(10**6))
CASES = int(os.environ.get("ENTREPOT_MATRIX_CASES") or 500)
RANGE = {(entity, version): FIELDS for entity in ("customer", "item", "order") for version in (1, 2, 3)}
ROWS = [(entity, version, name) for (entity, version), names in RANGE.items() for name in names]

pytestmark = pytest.mark.campaign


def cases(salt: int) -> Iterator[tuple[Case, State, random.Random]]:
    """Random trees with their state, read from seeds whose lines come in any order; a failure prints the tree."""
    print(f"ENTREPOT_TEST_SEED={SEED}")
    for number in range(CASES):
        random_ = random.Random(f"{SEED}.{salt}.{number}")
        case = random_case(number, random_)
        try:
            yield case, state_of(seeds_of_case(case.tree, case.unique_set, RANGE, random_)), random_
        except GeneratorExit:
            print(f"case {number}: {case}")
            raise


def ones(matrix: dense.Matrix) -> list[One]:
    """The 1s of a full matrix as the algorithms have them."""
    found = matrix.ones()
    return sorted(One(column[0], column[1], row[0], row[1], column[2], row[2]) for row, column in found)


def same(update: Update, matrix: dense.Matrix) -> None:
    """What an update says of its state is what a full matrix says, and what its stored blocks come to from scratch."""
    state = update.state
    assert to_matrix(state.balanced_set) == ones(matrix)
    assert from_unique_set(state.stored, state.domain) == state.balanced_set
    assert from_unique_set(state.unique_set(), state.domain) == state.balanced_set


def test_sets_are_those_of_the_full_matrix_and_come_back_to_it() -> None:
    for case, state, _ in cases(1):
        matrix = dense.decompacted(case.unique_set, case.tree, ROWS)
        assert to_matrix(state.balanced_set) == ones(matrix)
        assert state.balanced_set == stored_in_python(dense.balanced_set(matrix)) == to_balanced_set(ones(matrix))
        unique_set = to_unique_set(state.balanced_set, state.domain)
        assert unique_set == stored_in_python(dense.unique_set(dense.balanced_set(matrix), case.tree))
        assert from_unique_set(unique_set, state.domain) == state.balanced_set


def test_the_order_of_lines_does_not_matter() -> None:
    for case, state, random_ in cases(2):
        assert report(state_of(seeds_of_case(case.tree, case.unique_set, RANGE, random_))) == report(state)


def test_a_schema_version_is_added() -> None:
    for case, state, random_ in cases(3):
        schema = random_.choice(sorted(case.tree))
        before = max(case.tree[schema])
        number = before + random_.choice([1, 1, 3])
        attributes = next_attributes(list(case.tree[schema][before]), 0.4, random_)
        update = schema_version_added(state, version_of(schema, number, attributes))
        tree = case.tree | {schema: case.tree[schema] | {number: attributes}}
        same(update, dense.decompacted(case.unique_set, tree, ROWS))
        kept = {one for one in to_matrix(update.state.balanced_set) if one[:2] == (schema, number)}
        old = [one for one in to_matrix(state.balanced_set) if one[:2] == (schema, before)]
        assert len(update.lost) + len(kept) == len(old) and set(update.lost) <= set(old)


def test_a_schema_version_is_added_between_others() -> None:
    for case, state, random_ in cases(4):
        schema = random_.choice(sorted(case.tree))
        free = [number for number in range(1, max(case.tree[schema])) if number not in case.tree[schema]]
        if not free:
            continue
        number, attributes = random_.choice(free), next_attributes(["a0", "a1", "a2", "A0"], 0.4, random_)
        tree = case.tree | {schema: case.tree[schema] | {number: attributes}}
        update = schema_version_added(state, version_of(schema, number, attributes))
        same(update, dense.decompacted(case.unique_set, tree, ROWS))


def test_a_schema_version_is_deleted_and_later_ones_keep_what_they_had() -> None:
    for case, state, random_ in cases(5):
        matrix, update = dense.decompacted(case.unique_set, case.tree, ROWS), Update(state)
        for _ in range(random_.randint(1, 3)):
            domain = update.state.domain
            schema, number = random_.choice(
                [(name, one.number) for name in domain.schemas for one in domain.schemas[name]]
            )
            matrix = dense.without_columns(matrix, schema, number)
            update = schema_version_deleted(update.state, schema, number)
            same(update, matrix)
            if not update.state.domain.schemas:
                break


def test_an_entity_version_is_added_beside_the_old_one_which_is_then_deleted() -> None:
    for case, state, random_ in cases(6):
        entity, before = random_.choice(["customer", "item", "order"]), 3
        names = [name for name in [*FIELDS, "new"] if random_.random() < 0.7] or ["new"]
        matrix = dense.with_rows(dense.decompacted(case.unique_set, case.tree, ROWS), entity, before, 4, names)
        update = entity_version_added(
            state, entity, 4, tuple(EntityAttribute(name, "string", False, "") for name in names)
        )
        same(update, matrix)
        assert {one.entity_attribute for one in update.lost}.isdisjoint(names)
        for version in random_.sample([1, 2, 3, 4], random_.randint(1, 4)):
            matrix = dense.without_rows(matrix, entity, version)
            update = entity_version_deleted(update.state, entity, version)
            same(update, matrix)


def test_a_version_that_is_there_is_not_added_and_one_that_is_not_there_is_not_deleted() -> None:
    _, state, _ = next(cases(7))
    schema, versions = next(iter(state.domain.schemas.items()))
    with pytest.raises(EntrepotError, match="has a version"):
        schema_version_added(state, versions[0])
    with pytest.raises(EntrepotError, match="has no version 99"):
        schema_version_deleted(state, schema, 99)
    with pytest.raises(EntrepotError, match="item has a version 1"):
        entity_version_added(state, "item", 1, ())
    with pytest.raises(EntrepotError, match="item has no version 9"):
        entity_version_deleted(state, "item", 9)


def test_the_random_cases_contain_what_matters() -> None:
    """Null blocks, first, between and last; swaps; versions without attributes; several schemas and entities; blocks stored needlessly."""
    seen: set[str] = set()
    for case, state, _ in cases(8):
        for place, block in case.unique_set.items():
            versions = sorted(case.tree[place.schema])
            if not block:
                seen.add({versions[0]: "null first", versions[-1]: "null last"}.get(place.version, "null between"))
            elif place not in state.unique_set():
                seen.add("stored needlessly")
        for versions in case.tree.values():
            seen |= {"no attributes" for attributes in versions.values() if not attributes}
            for attributes in versions.values():
                if any(old and attributes.get(old) == name for name, old in attributes.items()):
                    seen.add("swap")
                if any(old and name.lower() == old.lower() for name, old in attributes.items()):
                    seen.add("case")
        seen.add(f"{len(case.tree)} schemas")
        if len(seen) == 9:
            return
    assert seen == {
        "null first", "null last", "null between", "stored needlessly", "no attributes", "swap", "case", "1 schemas", "2 schemas",
    }  # fmt: skip
