"""The dbt tests for mappings: each fails on what it is for. On the real seeds they pass (`tests/project/test_steelworks.py`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import yaml

from tests.mapping.test_mediawiki import NOTHING_DISCOVERED
from tests.support.dbt_case import DbtCase, Outcome

TREE = "schema,version,attribute,renamed_from,origin\ns,1,a,,seed\ns,1,b,,seed\ns,2,a,,seed\ns,2,c,,seed\ns,7,a,,discovered\n"
ENTITIES = (
    "entity,entity_version,entity_attribute,is_key\ne,1,x,false\ne,1,y,false\ne,2,x,false\nf,1,x,true\nf,1,y,false\n"
)
HEADER = "schema,version,entity,entity_version,attribute,entity_attribute\n"
TYPES = {"version": "int", "entity_version": "int"}

# Relations of blocks by name, with the tests that they fail: every row beyond the good ones is a mistake.
GOOD = HEADER + "s,1,e,1,a,x\ns,1,e,1,b,y\ns,1,f,1,a,x\ns,2,e,1,,\ns,2,f,1,c,x\n"
BLOCKS: dict[str, tuple[str, dict[str, int]]] = {
    "good": (GOOD, {}),
    "two_versions_of_an_entity": (HEADER + "s,1,e,1,a,x\ns,1,e,2,a,x\n", {}),
    "attribute_twice": (HEADER + "s,1,e,1,a,x\ns,1,e,1,a,y\n", {"mapping_one_to_one": 1}),
    "entity_attribute_twice": (HEADER + "s,1,e,1,a,x\ns,1,e,1,b,x\n", {"mapping_one_to_one": 1}),
    "row_twice": (HEADER + "s,1,e,1,a,x\ns,1,e,1,a,x\n", {"mapping_one_to_one": 2}),
    "null_block_with_elements": (HEADER + "s,1,e,1,a,x\ns,1,e,1,,\n", {"mapping_one_to_one": 1}),
    "attribute_of_another_version": (HEADER + "s,2,e,1,b,y\n", {"mapping_attributes_exist": 1}),
    "version_that_is_not_there": (HEADER + "s,3,e,1,a,x\n", {"mapping_attributes_exist": 1}),
    "null_block_of_no_version": (HEADER + "s,3,e,1,,\n", {"mapping_attributes_exist": 1}),
    "entity_attribute_of_another_version": (HEADER + "s,1,e,2,a,y\n", {"mapping_attributes_exist": 1}),
    "null_block_of_no_entity": (HEADER + "s,1,g,1,,\n", {"mapping_attributes_exist": 1}),
    "key_left_out": (HEADER + "s,1,f,1,a,y\ns,2,f,1,,\n", {"mapping_keys_mapped": 1}),
    "half_an_element": (HEADER + "s,1,e,1,a,\ns,2,e,1,,x\n", {"mapping_attributes_exist": 2}),
}
BLOCK_TESTS = [
    "mapping_one_to_one",
    {"mapping_attributes_exist": {"arguments": {"schema_tree": "ref('tree')", "entity_tree": "ref('entities')"}}},
    {"mapping_keys_mapped": {"arguments": {"entity_tree": "ref('entities')"}}},
]


@pytest.fixture(scope="module")
def outcome(module_case: Callable[..., DbtCase]) -> Outcome:
    case = module_case(parts=("models/mapping", "seeds/mapping"))
    case.put("models/landing/discovered_schema_attribute.sql", NOTHING_DISCOVERED)
    case.put("seeds/small/tree.csv", TREE)
    case.put("seeds/small/entities.csv", ENTITIES)
    gaps = [
        {"name": "tree", "data_tests": [{"mapping_versions_without_gaps": {"arguments": {"owner": "schema"}}}]},
        {"name": "entities", "data_tests": [{"mapping_versions_without_gaps": {"arguments": {"owner": "entity"}}}]},
    ]
    seeds: list[dict[str, Any]] = [*gaps]
    for name, (rows, _) in BLOCKS.items():
        case.put(f"seeds/small/{name}.csv", rows)
        seeds.append({
            "name": name, "config": {"column_types": TYPES | {"attribute": "string", "entity_attribute": "string"}},
            "data_tests": BLOCK_TESTS,
        })  # fmt: skip
    case.put("models/small/matrix_with_less.sql", "select * from {{ ref('good') }} where schema = 's' and entity = 'e'")
    # as a multiset: the row is in the other relation, but only once
    case.put(
        "models/small/matrix_with_more.sql", "select * from {{ ref('good') }} union all select 's', 1, 'e', 1, 'a', 'x'"
    )
    case.put("models/small/old_blocks.sql", "select * from {{ ref('good') }}")
    case.put(
        "models/small/new_blocks.sql",
        "select *, if(entity = 'e', 2, 1) as entity_version from (select * except (entity_version) from {{ ref('good') }})",
    )
    case.put("models/small/review_of_one.sql", "select 's' as schema, 2 as version, 'e' as entity")
    case.put("models/small/review_of_none.sql", "select * from {{ ref('review_of_one') }} where version = 3")
    round_trip = [{"mapping_round_trip": {"arguments": {"balanced_set": "ref('good')"}}}]
    trees = {"schema_tree": "ref('tree')", "entity_tree": "ref('entities')"}
    models = [
        {"name": "new_blocks", "data_tests": [{"mapping_versions_mapped": {"arguments": trees}}]},
        {"name": "old_blocks", "data_tests": [{"mapping_versions_mapped": {"arguments": trees}}]},
        {"name": "matrix_with_less", "data_tests": round_trip},
        {"name": "matrix_with_more", "data_tests": round_trip},
        {"name": "review_of_one", "data_tests": ["mapping_reviewed"]},
        {"name": "review_of_none", "data_tests": ["mapping_reviewed"]},
    ]
    case.put("models/small/small.yml", yaml.safe_dump({"models": models}))
    case.put("seeds/small/small.yml", yaml.safe_dump({"seeds": seeds}))
    # of the project's own mapping, what the sentences about failures are looked up in
    theirs = ("path:seeds", "path:models/small", "schema_tree", "discovered_schema_attribute")
    return case.dbt("build", "--select", *theirs, "--exclude", "path:seeds/mapping,resource_type:test")


@pytest.mark.parametrize("relation", BLOCKS)
def test_blocks(outcome: Outcome, relation: str) -> None:
    failures = BLOCKS[relation][1]
    for test in ("mapping_one_to_one", "mapping_attributes_exist", "mapping_keys_mapped"):
        rows = failures.get(test, 0)
        assert outcome.results(test, relation) == [("fail" if rows else "pass", rows)], test


def test_a_matrix_that_differs_fails(outcome: Outcome) -> None:
    assert outcome.results("mapping_round_trip", "matrix_with_less") == [("fail", 2)]
    assert outcome.results("mapping_round_trip", "matrix_with_more") == [("fail", 1)]


def test_a_gap_in_versions_fails(outcome: Outcome) -> None:
    assert outcome.results("mapping_versions_without_gaps", "tree") == [("fail", 1)]
    assert outcome.results("mapping_versions_without_gaps", "entities") == [("pass", 0)]
    assert (
        "schema_attribute.csv: s has a version 7 and none between 2 and that. Versions follow each other: add those"
        in outcome.text
    )


def test_a_version_without_a_block_to_the_newest_entity_fails(outcome: Outcome) -> None:
    """To e version 2: version 1 has a block to e version 1, version 2 a null block; version 7 is discovered."""
    assert outcome.results("mapping_versions_mapped", "old_blocks") == [("fail", 1)]
    assert "s version 1 has no element to e version 2. Add its block to unique_block.csv" in outcome.text
    assert outcome.results("mapping_versions_mapped", "new_blocks") == [("fail", 1)]
    assert "s version 1 has no element to e version 1. " in outcome.text, "an older version that has not been retired"


def test_a_review_that_waits_is_a_warning(outcome: Outcome) -> None:
    assert outcome.results("mapping_reviewed", "review_of_one") == [("warn", 1)]
    assert outcome.results("mapping_reviewed", "review_of_none") == [("pass", 0)]
