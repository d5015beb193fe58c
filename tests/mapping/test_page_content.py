"""What the page knows, read back: trees and D_P of random mappings are in its rows, whole; and its text is one safe document. No browser."""

from __future__ import annotations

import json
import os
import random
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from entrepot.mapping.matrix.elements import One
from entrepot.mapping.matrix.progression import progression
from entrepot.mapping.matrix.review import retyped, reviews
from entrepot.mapping.matrix.seeded import seeds_of, state_of
from entrepot.mapping.matrix.state import State
from entrepot.mapping.page.content import Content, content
from entrepot.mapping.page.document import document
from tests.mapping.in_python import seeds_of_case
from tests.mapping.random_trees import FIELDS, random_case
from tests.mapping.test_matrix_report import put

SEED = int(os.environ.get("ENTREPOT_TEST_SEED") or random.SystemRandom().randrange(10**6))
CASES = int(os.environ.get("ENTREPOT_MATRIX_CASES") or 1000) // 4
RANGE = {(entity, version): FIELDS for entity in ("customer", "item", "order") for version in (1, 2, 3)}
DATA = Path(__file__).parent / "mediawiki"
HOSTILE = "</script><script>window.hacked=1</script><!-- \"'&amp;`${1}\u2028"


def targets_of(shown: Content) -> list[tuple[str, int, str]]:
    return [
        (entity.name, version, one.name)
        for entity in shown.entities
        for version, attributes in entity.versions
        for one in attributes
    ]


def read_back(shown: Content) -> tuple[dict[tuple[str, int], dict[str, str | None]], list[One]]:
    """The domain tree as {(schema, version): {attribute: type}}, and D_P, from the rows alone."""
    tree: dict[tuple[str, int], dict[str, str | None]] = {}
    ones: list[One] = []
    targets = targets_of(shown)
    for schema in shown.schemas:
        tree |= {(schema.name, number): {} for number in schema.versions}
        for life in schema.lives:
            at, name = life.first, ""
            for length, named, data_type, *becomes in life.stops:
                name = name if named == 0 else str(named)
                for number in schema.versions[at : at + int(length)]:
                    tree[schema.name, number][name] = None if data_type == -1 else shown.types[int(data_type)]
                    for target in becomes:
                        entity, version, attribute = targets[int(target)]
                        ones.append(One(schema.name, number, entity, version, name, attribute))
                at += int(length)
    return tree, sorted(ones)


def same(state: State, shown: Content) -> None:
    tree, ones = read_back(shown)
    assert tree == {
        (schema, version.number): {one.name: one.data_type for one in version.attributes}
        for schema, versions in state.domain.schemas.items()
        for version in versions
    }
    assert ones == sorted(One(*place, *one) for place, block in state.balanced_set.items() for one in block)
    assert (shown.size[2], shown.size[3]) == (len(ones), len(state.rows(state.unique_set())))


@pytest.mark.campaign
def test_trees_and_elements_of_random_mappings_are_in_the_rows() -> None:
    print(f"ENTREPOT_TEST_SEED={SEED}")
    for number in range(CASES):
        random_ = random.Random(f"{SEED}.page.{number}")
        case = random_case(number, random_)
        print(f"case {number}")
        state = state_of(seeds_of_case(case.tree, case.unique_set, RANGE, random_))
        shown = content(state, "seeds")
        same(state, shown)
        marks(state, shown)


def test_trees_and_elements_of_a_real_history_are_in_the_rows() -> None:
    state = state_of(seeds_of(DATA))
    shown = content(state, "seeds")
    same(state, shown)
    marks(state, shown)
    assert sum(len(schema.retyped) for schema in shown.schemas) == 101
    expected = (DATA / "expected_balanced_set.csv").read_text().splitlines()[1:]
    assert [",".join(map(str, one)) for one in read_back(shown)[1]] == expected


def marks(state: State, shown: Content) -> None:
    """What was lost, what waits and what was retyped is what the commands say."""
    targets = targets_of(shown)
    waiting = {
        (schema.name, schema.versions[one.position], shown.entities[one.entity].name, *one[2:])
        for schema in shown.schemas
        for one in schema.reviews
    }
    assert waiting == {
        (*one.place, one.entity_version, one.elements_before, one.elements_after, one.vanished)
        for one in reviews(state)
    }
    for schema in shown.schemas:
        lost = {(schema.versions[one.position], *targets[one.target], one.is_stored) for one in schema.losses}
        wanted = progression(state, schema.name).losses
        assert len(lost) == len(wanted) and lost == {
            (one.version, *one.element[2:4], one.element[5], int(one.is_stored)) for one in wanted
        }
        changed = {(schema.versions[position], life) for position, life in schema.retyped}
        assert len({number for number, _ in changed}) == len(
            {one.version for one in retyped(state) if one.schema == schema.name}
        )


class Parts(HTMLParser):
    """The scripts of a document as a parser of HTML sees them, and what tags there are."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attributes)))

    def handle_data(self, data: str) -> None:
        if self.tags and self.tags[-1][0] == "script" and data.strip():
            self.scripts.append(data)


def test_names_cannot_leave_the_block_that_they_stand_in(tmp_path: Path) -> None:
    name = '"' + HOSTILE.replace('"', '""') + '"'
    seeds = put(
        tmp_path / "seeds",
        schema_attribute=f"{name},1,{name},{name},1,,\n",
        entity_attribute=f"{name},1,{name},{name},true,{name}\n",
        unique_block=f"{name},1,{name},1,{name},{name}\n",
    )
    text = document(content(state_of(seeds_of(seeds)), HOSTILE, HOSTILE), docs=f"{HOSTILE}/index.html")
    parts = Parts()
    parts.feed(text)
    rows, script = parts.scripts
    assert [tag for tag, _ in parts.tags].count("script") == 2 and "hacked" not in script
    assert json.loads(rows)[5][0][0] == HOSTILE
    assert dict(parts.tags)["title"] == {} and f"Mapping of {HOSTILE}" not in text


def test_the_page_loads_nothing_and_is_the_same_for_the_same_seeds() -> None:
    text = document(content(state_of(seeds_of(DATA)), "seeds"))
    assert text == document(content(state_of(seeds_of(DATA)), "seeds"))
    assert "default-src 'none'" in text and not re.search(r"(src|href)=[\"']?(https?:)?//|@import|url\(", text)
