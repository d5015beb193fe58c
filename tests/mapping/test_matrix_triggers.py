"""The triggers of algorithm 5 on seeds as files: what is written says the state that the trigger comes to, and what stays is the same bytes."""

from __future__ import annotations

import random
from itertools import islice
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from entrepot.cli import main
from entrepot.mapping.matrix.restating import changes
from entrepot.mapping.matrix.seeded import seeds_of, state_of
from entrepot.mapping.matrix.state import State
from entrepot.mapping.matrix.update import Update, elevated, entity_version_deleted, schema_version_deleted
from tests.mapping.test_matrix_dense import SEED, cases
from tests.mapping.test_matrix_report import SEEDS, put

OWNERS = ("", "plant", "shop")


def files(folder: Path, state: State, random_: random.Random) -> Path:
    """The seeds of a state as files of two owners and of nobody, with odd line ends, blank lines, and a line end in a name."""
    rows = {
        "schema_attribute": [f"{schema},{one.number},{each.name},,{each.position},,{each.renamed_from}"
                             for schema, versions in state.domain.schemas.items() for one in versions for each in one.attributes]
        + [f"{schema},{one.number},,,,," for schema, versions in state.domain.schemas.items() for one in versions if not one.attributes],
        "entity_attribute": [f'{entity},{number},{each.name},string,,"about\nit"' for entity, versions in state.range.entities.items()
                             for number, some in versions.items() for each in some],
        "unique_block": [",".join(map(str, one)) for one in state.rows(state.stored)],
    }  # fmt: skip
    for lines in rows.values():
        random_.shuffle(lines)
    ends = random_.choice(["\n", "\r\n", "\n\n"])
    folder.mkdir()
    whose = {name: [random_.choice(OWNERS) for _ in lines] for name, lines in rows.items()}
    for owner in OWNERS:
        put(folder / owner, **dict.fromkeys(rows, ""))
        for name, lines in rows.items():
            own = [line for line, of in zip(lines, whose[name], strict=True) if of == owner]
            with (folder / owner / f"{name}.csv").open("a", newline="") as file:
                file.write(ends.join(own) + random_.choice(["", ends]))
    return folder


def trigger(state: State, random_: random.Random) -> Update:
    """One of the triggers that take something away, or an elevation."""
    kind = random_.choice(["schema version", "entity version", "elevation"])
    if kind == "schema version":
        schema, number = random_.choice(
            [(name, one.number) for name, some in state.domain.schemas.items() for one in some]
        )
        return schema_version_deleted(state, schema, number)
    entity = random_.choice(sorted(state.range.entities))
    if kind == "entity version":
        return entity_version_deleted(state, entity, random_.choice(sorted(state.range.entities[entity])))
    fed = {one.entity_version for place, block in state.stored.items() for one in block if place.entity == entity}
    return Update(state) if max(state.range.entities[entity]) in fed else elevated(state, entity)


def test_what_is_written_says_the_state_that_the_trigger_comes_to(tmp_path: Path) -> None:
    print(f"ENTREPOT_TEST_SEED={SEED}")
    for number, (_, state, random_) in enumerate(islice(cases(51), 100)):
        folder = files(tmp_path / str(number), state, random_)
        seeds = seeds_of(folder)
        update = trigger(state_of(seeds), random_)
        before = {path: path.read_bytes().splitlines() for path in folder.rglob("*_attribute.csv")}
        for change in changes(seeds, update.state):
            change.file.path.write_bytes(change.content())
            assert change.is_empty == (change.content() == change.file.content)
        after = state_of(seeds_of(folder))
        assert after.balanced_set == update.state.balanced_set
        assert after.range == update.state.range and after.domain.schemas.keys() == update.state.domain.schemas.keys()
        for change in changes(seeds_of(folder), after):
            assert change.is_empty
        assert len(before) == 2 * len(OWNERS)
        for path, lines in before.items():
            left = iter(lines)
            assert all(line in left for line in path.read_bytes().splitlines()), "some lines go, and no other changes"


def run(seeds: Path, *arguments: str) -> Result:
    return CliRunner().invoke(main, ["mapping", *arguments, "--seeds", str(seeds)])


def rows(seeds: Path, name: str) -> list[str]:
    return (seeds / f"{name}.csv").read_text().splitlines()[1:]


TREE = "s,1,a,,,,\ns,1,b,,,,\ns,2,a,,,,\ns,2,c,,,,b\ns,3,a,,,,\ns,3,c,,,,\n"


def test_delete_stores_the_block_that_rested_on_the_version(tmp_path: Path) -> None:
    seeds = put(tmp_path / "seeds", schema_attribute=TREE)
    shown = run(seeds, "delete", "s", "2")
    assert (
        shown.exit_code == 0
        and "say --yes" in shown.output
        and rows(seeds, "unique_block") == ["s,1,e,1,a,x", "s,1,e,1,b,y"]
    )
    assert run(seeds, "delete", "s", "2", "--yes").exit_code == 0
    assert rows(seeds, "unique_block") == ["s,1,e,1,a,x", "s,1,e,1,b,y", "s,3,e,1,a,x", "s,3,e,1,c,y"]
    assert rows(seeds, "schema_attribute") == ["s,1,a,,,,", "s,1,b,,,,", "s,3,a,,,,", "s,3,c,,,,"]


def test_elevate_copies_blocks_and_retire_takes_the_old_version_out(tmp_path: Path) -> None:
    entities = SEEDS["entity_attribute"] + "e,2,x,string,true,\ne,2,z,string,,\n"
    seeds = put(tmp_path / "seeds", entity_attribute=entities)
    shown = run(seeds, "elevate", "e", "--yes")
    assert shown.exit_code == 0 and "Not copied: s version 1 to e, b → y." in shown.output
    assert rows(seeds, "unique_block")[-1] == "s,1,e,2,a,x"
    assert "Blocks feed version 2 of e already." in run(seeds, "elevate", "e").output
    assert run(seeds, "retire", "e", "1", "--yes").exit_code == 0
    assert rows(seeds, "unique_block") == ["s,1,e,2,a,x"] and rows(seeds, "entity_attribute") == [
        "e,2,x,string,true,",
        "e,2,z,string,,",
    ]


def test_rows_that_a_build_would_refuse_are_not_written(tmp_path: Path) -> None:
    """An entity's next version has another type, into which Spark converts no value of the source's."""
    tree, entities = (
        "s,1,a,integer,,,\ns,1,b,boolean,,,\n",
        "e,1,x,integer,true,\ne,1,y,boolean,,\ne,2,x,integer,true,\ne,2,y,date,,\n",
    )
    seeds = put(tmp_path / "seeds", schema_attribute=tree, entity_attribute=entities)
    before = rows(seeds, "unique_block")
    said = run(seeds, "elevate", "e", "--yes")
    assert said.exit_code == 2 and "unique_block.csv:5: " in said.output and "Nothing has been written" in said.output
    assert "boolean" in said.output and "date" in said.output and rows(seeds, "unique_block") == before


@pytest.mark.parametrize(("arguments", "says"), [
    (("delete", "s", "7"), "s has no version 7. It has 1."), (("delete", "t", "1"), "t has no version 1."),
    (("elevate", "e"), "e has version 1 alone."), (("elevate", "f"), "There is no entity f. There is e."),
    (("retire", "e", "2"), "e has no version 2. It has 1."), (("retire", "f", "1"), "There is no entity f."),
])  # fmt: skip
def test_what_is_not_there_is_said(tmp_path: Path, arguments: tuple[str, ...], says: str) -> None:
    result = run(put(tmp_path / "seeds"), *arguments, "--yes")
    assert result.exit_code == 2 and says in result.output
