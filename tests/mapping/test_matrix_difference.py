"""What a change of the seeds would do: on random pairs of trees against the blocks themselves; against a commit; as text and Markdown."""

from __future__ import annotations

import subprocess
from itertools import islice
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from entrepot.cli import main
from entrepot.mapping.matrix.decompaction import to_matrix
from entrepot.mapping.matrix.difference import difference, grouped
from entrepot.mapping.matrix.seeded import state_of
from tests.mapping.in_python import seeds_of_case
from tests.mapping.random_trees import random_blocks, random_versions
from tests.mapping.test_matrix_dense import RANGE, cases
from tests.mapping.test_matrix_report import SEEDS, put


def test_exactly_the_schema_versions_whose_elements_differ_are_mapped_otherwise() -> None:
    for case, before, random_ in islice(cases(21), 300):
        tree, stored = dict(case.tree), dict(case.unique_set)
        for schema in list(tree):
            if random_.random() < 0.5:
                tree[schema] = random_versions(random_)
                stored = {place: block for place, block in stored.items() if place.schema != schema}
                stored |= random_blocks(schema, "item", tree[schema], random_)
        after = state_of(seeds_of_case(tree, stored, RANGE, random_))
        found = difference(before, after)
        old, new = set(to_matrix(before.balanced_set)), set(to_matrix(after.balanced_set))
        assert found.remapped == sorted({one[:2] for one in old ^ new})
        assert found.concerned == sorted({one.entity for one in old ^ new})
        assert {(*change.place, *one) for change in found.blocks for one in change.gained} == new - old
        assert {(*change.place, *one) for change in found.blocks for one in change.lost} == old - new
        assert sum(len(versions) for _, versions in grouped(found.blocks)) == len(found.blocks)
        assert difference(before, before).is_empty
        there = {(schema, version) for schema, versions in tree.items() for version in versions}
        for change in found.blocks:
            assert (change.kind in ("null", "gone")) == (not after.block(change.place))
            if change.kind == "null":
                assert change.place[:2] in there
            if change.place[:2] not in there:
                assert change.kind == "gone"


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["mapping", "diff", *arguments])


def lines(*arguments: str) -> list[str]:
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    return [" ".join(line.replace("│", " ").replace("┃", " ").split()) for line in result.output.splitlines()]


TREE = "".join(f"s,{version},{name},text,,,\n" for version in (1, 2, 3) for name in "ab")


def test_a_block_that_becomes_null_and_what_inherits_it(tmp_path: Path) -> None:
    before = put(tmp_path / "before", schema_attribute=TREE)
    after = put(tmp_path / "after", schema_attribute=TREE, unique_block=SEEDS["unique_block"] + "s,2,e,1,,\n")
    found = lines(str(before), str(after))
    assert "s 2, 3 e null - a → x, - b → y" in found
    assert found[-2:] == ["Mapped otherwise: events of s version 2, 3.", "Mapped models concerned: mapped_e."]


def test_types_and_entities(tmp_path: Path) -> None:
    before = put(tmp_path / "before", schema_attribute=TREE)
    after = put(
        tmp_path / "after", schema_attribute=TREE.replace("s,2,a,text", "s,2,a,date"),
        entity_attribute=SEEDS["entity_attribute"] + "e,1,z,string,,\nf,1,z,string,,\n",
    )  # fmt: skip
    found = lines(str(before), str(after))
    assert "s 2 e retyped ~ a → x" in found
    assert "Entity e: + z. Its mapped table and its history are made anew." in found and "New entity f: + z." in found
    assert "Mapped otherwise: events of s version 2." in found


def test_a_version_that_is_not_registered_any_more_and_a_review_that_comes(tmp_path: Path) -> None:
    before = put(tmp_path / "before", schema_attribute=TREE)
    after = put(tmp_path / "after", schema_attribute=TREE.replace("s,3,a,text,,,\ns,3,b,text,,,\n", "s,4,a,text,,,\n"))
    found = lines(str(before), str(after))
    assert "s 3 e gone - a → x, - b → y" in found and "s 4 e added + a → x" in found
    assert "No more in the domain tree: s version 3." in found and "New in the domain tree: s version 4." in found
    assert "Will wait for a review: s version 4 to e, without b." in found


def test_exit_codes_and_markdown(tmp_path: Path) -> None:
    before, after = put(tmp_path / "before"), put(tmp_path / "after", unique_block="s,1,e,1,a,x\n")
    assert run(str(before), str(before), "--exit-code").exit_code == 0
    assert run(str(before), str(after)).exit_code == 0
    told = run(str(before), str(after), "--exit-code", "--format", "markdown")
    assert told.exit_code == 1 and "| s | 1 | e | changed | - b → y |" in told.output
    assert "- Mapped models concerned: mapped\\_e." in told.output
    odd = put(
        tmp_path / "odd",
        schema_attribute="s,1,@all,text,1,,\ns,1,[x](http://e),text,2,,\ns,1,```b``#12 www.e`,text,3,,\n",
        unique_block="s,1,e,1,@all,x\ns,1,e,1,[x](http://e),y\n",
    )
    told = run(str(before), str(odd), "--format", "markdown").output
    assert "@&#8288;all → x" in told and "\\[x\\](http:&#8288;//e) → y" in told and "@all" not in told
    (after / "unique_block.csv").write_text("schema\n")
    assert run(str(before), str(after)).exit_code == 2
    assert run(str(before)).exit_code == 2


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository whose last commit has the seeds; the folder of the seeds."""
    seeds = put(tmp_path / "seeds")
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "-A")
    git(tmp_path, "-c", "user.name=somebody", "-c", "user.email=somebody@example.org", "commit", "-qm", "seeds")
    return seeds


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", "-C", str(folder), *arguments], check=True)


def test_the_working_tree_against_a_commit_that_is_not_checked_out(repository: Path) -> None:
    assert lines("--seeds", str(repository)) == ["Nothing: both come to the same mapping."]
    put(repository, unique_block="s,1,e,1,a,x\n")
    assert "s 1 e changed - b → y" in lines("--seeds", str(repository), "--against", "HEAD")
    git(repository, "rm", "-q", "--cached", "unique_block.csv")
    git(repository, "-c", "user.name=somebody", "-c", "user.email=somebody@example.org", "commit", "-qm", "none")
    assert "s 1 e added + a → x" in lines("--seeds", str(repository))


def test_commits_that_are_not_there_and_broken_seeds_of_a_commit(
    repository: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    result = run("--seeds", str(repository), "--against", "origin/main")
    assert result.exit_code == 2 and "git knows no commit origin/main." in result.output
    assert run("--seeds", str(repository), "--against", "--output=x").exit_code == 2
    result = run("--seeds", str(put(tmp_path_factory.mktemp("none") / "seeds")))
    assert result.exit_code == 3 and "is in no git repository" in result.output
    (repository / "unique_block.csv").write_text("schema\n")
    git(repository, "-c", "user.name=somebody", "-c", "user.email=somebody@example.org", "commit", "-qam", "broken")
    put(repository)
    result = run("--seeds", str(repository))
    assert (
        result.exit_code == 2
        and f"HEAD:{repository}/unique_block.csv:1: the file has no column version" in result.output
    )
