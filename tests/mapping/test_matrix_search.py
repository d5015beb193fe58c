"""Reverse search, progression, paths and reviews: they tell the whole of D_P on random trees; and what the commands print."""

from __future__ import annotations

from itertools import islice, pairwise
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from entrepot.cli import main
from entrepot.mapping.matrix.decompaction import to_matrix
from entrepot.mapping.matrix.elements import One
from entrepot.mapping.matrix.path import paths_from, paths_to
from entrepot.mapping.matrix.progression import progression
from entrepot.mapping.matrix.review import reviews
from entrepot.mapping.matrix.search import row_super_set
from tests.mapping.test_matrix_dense import cases
from tests.mapping.test_matrix_report import SEEDS, put

DATA = Path(__file__).parent / "mediawiki"
SOME = 200


def test_row_super_sets_make_the_whole_matrix() -> None:
    for _, state, _ in islice(cases(11), SOME):
        found = [
            One(feed.schema, version, entity, number, attribute, name)
            for entity, versions in state.range.entities.items()
            for number in versions
            for feed in row_super_set(state, entity, number)
            for version in feed.versions
            for name, attribute in feed.elements
        ]
        assert sorted(found) == to_matrix(state.balanced_set)


def test_progressions_make_the_whole_matrix_and_name_every_element_that_is_lost() -> None:
    for _, state, _ in islice(cases(12), SOME):
        found: list[One] = []
        for schema, versions in state.domain.schemas.items():
            told = progression(state, schema)
            assert [number for column in told.columns for number in column.versions] == [one.number for one in versions]
            for column in told.columns:
                for number in column.versions:
                    found += [
                        One(schema, number, *target[:2], name, target[2]) for target, name in column.attributes.items()
                    ]
            for before, after in pairwise(versions):
                old, new = ({one[2:4] + one[5:] for one in to_matrix(state.balanced_set) if one[:2] == (schema, version.number)}
                            for version in (before, after))  # fmt: skip
                assert {
                    one.element[2:4] + one.element[5:] for one in told.losses if one.version == after.number
                } == old - new
        assert sorted(found) == to_matrix(state.balanced_set)


def test_paths_make_the_whole_matrix_from_either_side() -> None:
    for case, state, _ in islice(cases(13), SOME):
        found: set[One] = set()
        for schema, versions in case.tree.items():
            for name in {name for attributes in versions.values() for name in attributes}:
                for path in paths_from(state, schema, name):
                    assert path.ends_before is None or path.ends_before in versions
                    found |= {
                        One(schema, version, *target[:2], stop.attribute, target[2])
                        for stop in path.stops for version in stop.versions for target in stop.targets
                    }  # fmt: skip
        ones = to_matrix(state.balanced_set)
        assert sorted(found) == ones
        for entity, number, name in {(one.entity, one.entity_version, one.entity_attribute) for one in ones}:
            versions_told = {
                (path.schema, version) for path in paths_to(state, entity, name, number)
                for stop in path.stops if (entity, number, name) in stop.targets for version in stop.versions
            }  # fmt: skip
            assert versions_told == {one[:2] for one in ones if one[2:4] + one[5:] == (entity, number, name)}


def test_reviews_are_blocks_that_nobody_stored_and_that_lost_something() -> None:
    for _, state, _ in islice(cases(14), SOME):
        waiting = reviews(state)
        assert all(
            one.place not in state.stored and len(one.vanished) == one.elements_before - one.elements_after
            for one in waiting
        )
        shrunk = {
            place for place, block in state.unique_set().items() if place not in state.stored
        }  # fmt: skip
        assert {one.place for one in waiting} == shrunk


def run(*arguments: str, seeds: Path = DATA) -> Result:
    return CliRunner().invoke(main, ["mapping", *arguments, "--seeds", str(seeds)])


def lines(*arguments: str, seeds: Path = DATA) -> list[str]:
    """What a command prints, with one blank between columns."""
    result = run(*arguments, seeds=seeds)
    assert result.exit_code == 0, result.output
    return [" ".join(line.replace("│", " ").replace("┃", " ").split()) for line in result.output.splitlines()]


def test_review_prints_what_waits_and_how_many_types_have_changed() -> None:
    found = lines("review")
    assert (
        "user 12 User 5 to 4 shrank user_options" in found
        and "user_rights 2 UserRight 1 to 0 null user_rights" in found
    )
    assert found[-1] == "Inherited attributes with another type than in the version before: 101; --types lists them."
    assert "archive 5 ar_text mediumtext to mediumblob Archive.text" in lines("review", "--types")
    assert lines("review", "blobs") == ["No block waits for a review."]


def test_search_prints_which_versions_feed_an_entity() -> None:
    assert lines("search", "Page")[3:] == ["page 1 to 6 1 7 of 7", "page 7 to 9 6 of 7 counter"]
    assert "page_counter → counter" in lines("search", "Page", "--elements")


def test_progression_prints_versions_side_by_side_and_what_was_lost() -> None:
    found = lines("progression", "user")
    assert found[0] == "user, versions 1 to 13" and found[1] == "entity attribute 1, 2 3 to 11 12, 13"
    assert "User 1 options user_options user_options" in found
    assert "Version 12 does not feed User options any more: user_options has vanished." in found
    assert found[-1].startswith("Not mapped in version 13: user_id, user_real_name")


def test_path_prints_the_lives_of_an_attribute_forth_and_back() -> None:
    forth = lines("path", "page", "page_counter")
    assert forth[2:] == [
        "page 1 to 3 page_counter bigint(20) unsigned Page 1 counter",
        "page 4 to 6 page_counter bigint unsigned Page 1 counter",
        "page 7 page_counter is gone",
        "page 8 page_counter bigint unsigned nothing",
        "page 9 page_counter is gone",
    ]
    assert lines("path", "--back", "Page", "counter")[2:] == forth[2:5]


def test_a_rename_is_one_path_and_a_block_stored_without_an_element_says_so(tmp_path: Path) -> None:
    seeds = put(
        tmp_path / "seeds",
        schema_attribute=SEEDS["schema_attribute"]
        + "s,2,c,text,1,,a\ns,2,b,text,2,,\ns,3,c,text,1,,\ns,3,b,text,2,,\n",
        unique_block=SEEDS["unique_block"] + "s,3,e,1,c,x\n",
    )
    assert lines("path", "s", "a", seeds=seeds)[2:] == ["s 1 a text e 1 x", "s 2, 3 c text e 1 x"]
    assert "Version 3 does not feed e y any more: its block is stored without it." in lines(
        "progression", "s", seeds=seeds
    )


@pytest.mark.parametrize(("arguments", "says"), [
    (["search", "pge"], "There is no entity pge. There is Page"),
    (["search", "Page", "--entity-version", "2"], "Page has no version 2. It has 1."),
    (["progression", "pages"], "There is no schema pages. There is page"),
    (["path", "user", "user_right"], "There is no attribute of user user_right. There is user_rights"),
    (["path", "--back", "User", "id"], "There is no attribute of User id."),
])  # fmt: skip
def test_what_is_not_there_is_said_with_what_is_like_it(arguments: list[str], says: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 2 and says in result.output
