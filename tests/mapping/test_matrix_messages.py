"""Algorithms 1 and 6 on random trees: against full matrices, and against each other; no Spark.

ENTREPOT_MATRIX_CASES says how many trees, ENTREPOT_TEST_SEED which.
"""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from entrepot.errors import EntrepotError
from entrepot.mapping.matrix.messages import EntityMessage, Message
from entrepot.mapping.matrix.parallel import ColumnSets, parallel_mapping
from entrepot.mapping.matrix.sequential import column_super_block, sequential_mapping
from tests.mapping import dense_oracle as dense
from tests.mapping.oracle import Tree
from tests.mapping.random_trees import NAMES
from tests.mapping.test_matrix_dense import RANGE, ROWS, cases

pytestmark = pytest.mark.campaign

# what is no null object, though Python takes some of it for nothing
DATA = ["text", "", 0, 1, False, 12.5, [], {}]
Sent = dict[tuple[str, int], dict[str, Any]]


def message_of(tree: Tree, random_: random.Random) -> Message:
    """A message of any version: attributes with data, null, or not there; and one that the schema does not have."""
    schema = random_.choice(sorted(tree))
    version = random_.choice(sorted(tree[schema]))
    payload = {name: random_.choice([*DATA, None]) for name in tree[schema][version] if random_.random() < 0.9}
    strange = [name for name in NAMES if name not in tree[schema][version]]
    return Message(schema, version, payload | ({random_.choice(strange): "strange"} if strange else {}))


def expected(message: Message, matrix: dense.Matrix) -> Sent:
    """A message through the 1s of the full matrix, row by row: the definition of the mapping function (4.2)."""
    found: Sent = {(entity, version): dict.fromkeys(names) for (entity, version), names in RANGE.items()}
    for (entity, version, name), (schema, number, attribute) in matrix.ones():
        if (schema, number) == (message.schema, message.version):
            found[entity, version][name] = message.payload.get(attribute)
    return found


def by_entity(sent: list[EntityMessage]) -> Sent:
    found = {(one.entity, one.entity_version): dict(one.payload) for one in sent}
    assert len(found) == len(sent)
    return found


def test_both_algorithms_come_to_the_matrix_and_the_parallel_one_leaves_null_objects_out() -> None:
    for case, state, random_ in cases(11):
        matrix, columns = dense.decompacted(case.unique_set, case.tree, ROWS), ColumnSets.of(state)
        messages = [message_of(case.tree, random_) for _ in range(3)]
        outgoing = []
        for message in messages:
            sparse = sequential_mapping(message, column_super_block(state, message.schema, message.version))
            wanted = expected(message, matrix)
            assert by_entity(sparse) == wanted
            filled = [one.dense() for one in sparse if one.dense().payload]
            assert by_entity(list(parallel_mapping([message], columns))) == by_entity(filled)
            outgoing += list(parallel_mapping([message], columns))
        assert list(parallel_mapping(messages, columns)) == outgoing


def test_messages_may_be_spread_over_threads() -> None:
    case, state, random_ = next(cases(12))
    messages, columns = [message_of(case.tree, random_) for _ in range(200)], ColumnSets.of(state)
    with ThreadPoolExecutor(4) as threads:
        assert list(parallel_mapping(messages, columns, threads.map)) == list(parallel_mapping(messages, columns))


def test_a_version_that_the_state_does_not_have_is_an_error_and_not_an_empty_message() -> None:
    _, state, _ = next(cases(13))
    schema = next(iter(state.domain.schemas))
    with pytest.raises(EntrepotError, match="has no version 99"):
        list(parallel_mapping([Message(schema, 99, {"a0": 1})], ColumnSets.of(state)))
    with pytest.raises(EntrepotError, match="has no version 99"):
        column_super_block(state, schema, 99)
