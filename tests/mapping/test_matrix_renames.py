"""Proposed renames: MediaWiki's real ones, judged by hand, and renames drawn at random in its real tables; how many are found, how many are right."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice, pairwise
from pathlib import Path

import pytest
from click.testing import CliRunner

from entrepot.cli import main
from entrepot.mapping.matrix.proposing import proposals
from entrepot.mapping.matrix.renames import renames
from entrepot.mapping.matrix.seeded import seeds_of
from entrepot.mapping.matrix.state import State
from entrepot.mapping.matrix.trees import DomainTree
from entrepot.mapping.trees import Attribute, Version
from tests.mapping.test_matrix_dense import cases
from tests.mapping.test_matrix_report import put

SEED = int(os.environ.get("ENTREPOT_TEST_SEED") or random.SystemRandom().randrange(10**6))
TREE = DomainTree.of(seeds_of(Path(__file__).parent / "mediawiki").versions())
# versions in which attributes go while others come, all of them; what was renamed, by what MediaWiki's tables.sql said of both
JUDGED = {
    ("archive", 10): {("ar_page", "ar_page_id")},
    ("external_user", 2): {("eu_wiki_id", "eu_local_id")},
    ("image", 4): set(),  # a number became a media type and two parts of a MIME type
    ("page", 7): set(),  # the counter was given up, and pages got a language
    ("protected_titles", 3): {("pt_by", "pt_user")},
    ("user_groups", 2): {("user_id", "ug_uid"), ("group_id", "ug_gid")},
    ("user_groups", 3): {("ug_uid", "ug_user"), ("ug_gid", "ug_group")},
    ("user_rights", 2): {("user_id", "ur_uid"), ("user_rights", "ur_rights")},
    ("user_rights", 3): {("ur_uid", "ur_user")},
    ("validate", 3): set(),  # a page and a revision in the place of a title and a time
}
Pairs = set[tuple[str, str]]


def proposed(before: Version, after: Version) -> Pairs:
    return {(one.before, one.after) for one in renames(before, after)}


def shares(told: list[tuple[Pairs, Pairs]]) -> tuple[float, float]:
    """Precision and recall of (proposed, right) pairs."""
    right = sum(len(found & wanted) for found, wanted in told)
    return right / max(1, sum(len(found) for found, _ in told)), right / max(1, sum(len(wanted) for _, wanted in told))


def test_a_record_that_is_renamed_is_so_with_all_that_is_inside() -> None:
    def version(number: int, *names: str) -> Version:
        return Version("s", number, tuple(Attribute(name, "text", place, False) for place, name in enumerate(names, 1)))

    before = version(1, "id", "address", "address.city", "address.geo.lat", "note")
    after = version(2, "id", "home", "home.city", "home.geo.lat", "`the.title`", "note")
    assert proposed(before, after) >= {("address.city", "home.city"), ("address.geo.lat", "home.geo.lat")}
    assert proposed(before, after) <= {(one, one.replace("address", "home")) for one in before.names}
    # what repeats goes on in what repeats alike: another pair would be no block
    inside = (
        version(1, "id", "prices{}.amount", "lines[].tags{}", "lines[].sku"),
        version(2, "id", "costs{}.amount", "tags", "sku{}"),
    )
    assert proposed(*inside) == {("prices{}.amount", "costs{}.amount")}


def test_real_renames() -> None:
    told = []
    for schema, versions in TREE.schemas.items():
        for before, after in pairwise(versions):
            found = proposed(before, after)
            assert not found or (schema, after.number) in JUDGED
            if (schema, after.number) in JUDGED:
                told.append((found, JUDGED[schema, after.number]))
    assert len(told) == len(JUDGED) and shares(told) == (1, 1)


def tables() -> Iterator[Version]:
    """Every version of every table with at least four columns."""
    yield from (one for versions in TREE.schemas.values() for one in versions if len(one.attributes) >= 4)


def foreign(random_: random.Random, taken: Version) -> Attribute:
    """A column of another table."""
    others = [
        one
        for version in tables()
        if version.schema != taken.schema
        for one in version.attributes
        if one.name not in taken.names
    ]
    return random_.choice(others)


def changed(before: Version, names: dict[str, str], random_: random.Random) -> tuple[Version, Pairs]:
    """The next version: one column is gone, one of another table has come, and some have other names."""
    gone = random_.choice(before.attributes)
    left = [replace(one, name=names.get(one.name, one.name)) for one in before.attributes if one != gone]
    left.insert(random_.randrange(len(left) + 1), foreign(random_, before))
    pairs = {(old, new) for old, new in names.items() if old != new and old != gone.name}
    return Version(before.schema, before.number + 1, tuple(left)), pairs


def other_words(before: Version, random_: random.Random) -> dict[str, str]:
    """One to three columns get a word more, a word less, or another word."""
    words = sorted({word for version in tables() for one in version.attributes for word in one.name.split("_")[1:]})
    names: dict[str, str] = {}
    for one in random_.sample(before.attributes, random_.randint(1, 3)):
        parts, word = one.name.split("_"), random_.choice(words)
        kind = random_.choice(["more", "less", "other"])
        parts = {"more": [*parts, word], "less": parts[:1] + parts[2:], "other": [*parts[:-1], word]}[kind]
        if len(parts) > 1 and "_".join(parts) not in before.names:
            names[one.name] = "_".join(parts)
    return names if len(set(names.values())) == len(names) else {}


def other_prefix(before: Version, random_: random.Random) -> dict[str, str]:
    """All columns get another prefix, or lose theirs."""
    prefix = random_.choice(["", "wiki_", f"{before.schema}_"])
    return {one.name: prefix + one.name.partition("_")[2] for one in before.attributes if one.name.partition("_")[2]}


@pytest.mark.parametrize(("drawn", "least_precision", "least_recall"), [
    (other_words, 0.8, 0.8), (other_prefix, 0.95, 0.97),
], ids=["other words", "another prefix"])  # fmt: skip
def test_random_renames_in_real_tables(drawn: object, least_precision: float, least_recall: float) -> None:
    print(f"ENTREPOT_TEST_SEED={SEED}")
    random_, told = random.Random(SEED), []
    for before in tables():
        assert callable(drawn)
        after, wanted = changed(before, drawn(before, random_), random_)
        told.append((proposed(before, after), wanted))
    precision, recall = shares(told)
    print(f"{len(told)} versions, precision {precision:.2f}, recall {recall:.2f}")
    assert precision > least_precision and recall > least_recall


def test_what_the_tree_says_already_is_not_proposed() -> None:
    before = Version("s", 1, (Attribute("a_name", "text", 1, False), Attribute("b", "text", 2, False)))
    after = Version(
        "s", 2, (Attribute("c_name", "text", 1, False, renamed_from="a_name"), Attribute("b2", "text", 2, False))
    )
    assert proposed(before, after) == {("b", "b2")}


def test_a_column_that_goes_and_another_that_comes_elsewhere_are_none() -> None:
    names = [Attribute(name, "text", place, False) for place, name in enumerate(("id", "note", "color", "shape"), 1)]
    after = Version("s", 2, (*names[:1], *names[2:], Attribute("priority", "integer", 4, False)))
    assert proposed(Version("s", 1, tuple(names)), after) == set()


def test_proposed_blocks_complete_what_was_inherited_and_are_blocks() -> None:
    """Random trees: one-to-one, only where nobody has stored, and no element of the inherited block is left out."""
    seen = 0
    for _, state, _ in islice(cases(31), 300):
        found, blocks = proposals(state, None, 0.3)
        after = State.of(state.domain, state.range, {**state.stored, **blocks})
        seen += len(blocks)
        for place, block in blocks.items():
            assert place not in state.stored and block > state.block(place)
            more = {one.element for one in found if one.place == place}
            assert more == {one for one in block if one in more} and after.block(place) == block
            for side in (1, 2):
                named = [(one.entity_version, one[side]) for one in block]
                assert len(named) == len(set(named))
        assert proposals(after, None, 0.3) == ([], {})
    assert seen > 20


def test_the_command_shows_pairs_and_stores_completed_blocks(tmp_path: Path) -> None:
    seeds = put(
        tmp_path / "seeds",
        schema_attribute="s,1,mail,text,1,,\ns,1,a,text,2,,\ns,2,email,text,1,,\ns,2,a,text,2,,\ns,3,email,text,1,,\ns,3,a,text,2,,\ns,3,y,text,3,,\n",
        entity_attribute="e,1,x,string,,\ne,1,y,string,,\ne,1,z,string,,\n",
        unique_block="s,1,e,1,mail,x\ns,1,e,1,a,z\n",
    )

    def run(*options: str) -> str:
        result = CliRunner().invoke(main, ["mapping", "propose", "--seeds", str(seeds), *options])
        assert result.exit_code == 0, result.output
        return " ".join(result.output.replace("│", " ").split())

    before = (seeds / "unique_block.csv").read_text()
    shown = run()
    assert "s 2 mail email 0.96 e x" in shown and "s 3 y 1.00 e y" in shown and shown.endswith("say --yes.")
    assert (seeds / "unique_block.csv").read_text() == before
    assert run("s", "--yes").endswith("Written. See `git diff`.")
    assert (seeds / "unique_block.csv").read_text() == before + (
        "s,2,e,1,a,z\ns,2,e,1,email,x\ns,3,e,1,a,z\ns,3,e,1,email,x\ns,3,e,1,y,y\n"
    )
    assert run() == "Nothing is proposed."
