"""Seeds of the mapping in folders of owners, in dbt: loaded as one, written only where a row differs, seen by `state:modified`."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from pathlib import Path

from entrepot.mapping.seeds import COLUMNS
from tests.support.dbt_case import WITHOUT_TESTS, DbtCase

PARTS = (
    "models/landing",
    "models/mapping",
    "models/mapped/mapped_item.sql",
    "models/mapped/_shop.yml",
    "models/mapped/_plant.yml",
    "seeds",
)
OWNERS = ("", "plant", "shop", "a b", "_c")
MAPPED = ("--select", "+mapped_item", "resource_type:seed", *WITHOUT_TESTS)


def spread(seeds: Path, random_: random.Random) -> None:
    """Put the lines of all files of the seeds into files of any owners, in any order."""
    for name in COLUMNS:
        paths = [seeds / f"{name}.csv", *seeds.glob(f"*/{name}.csv")]
        header, *_ = paths[0].read_text().splitlines()
        rows = [row for path in paths for row in path.read_text().splitlines()[1:]]
        random_.shuffle(rows)
        for path in paths:
            path.write_text(f"{header}\n")
        for row in rows:
            path = seeds / random_.choice(OWNERS) / f"{name}.csv"
            path.parent.mkdir(exist_ok=True)
            text = path.read_text() if path.exists() else f"{header}\n"
            path.write_text(f"{text}{row}\n")


def test_lines_in_any_file_are_the_same_tables_and_sql(dbt_case: Callable[..., DbtCase]) -> None:
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    random_ = random.Random(seed)
    case = dbt_case(parts=PARTS)
    case.artifacts = True
    seeds, compiled = case.path / "seeds/mapping", case.path / "target/compiled/entrepot/models/mapped/mapped_item.sql"
    case.build(*MAPPED)
    tables = {name: case.rows("mapping", name) for name in COLUMNS}
    heads = {name: case.head("mapping", name) for name in (*COLUMNS, "balanced_set")}
    sql = compiled.read_text()

    spread(seeds, random_)
    outcome = case.dbt("build")
    assert not outcome.success and not outcome.statements
    assert (
        "dbt sees seeds/mapping/" in outcome.text and "Write the line seeds/mapping/*/ into .dbtignore" in outcome.text
    )
    assert case.dbt("debug").success, "it knows a profile, and no project"
    case.put(".dbtignore", "seeds/mapping/*/\n")

    outcome = case.build(*MAPPED)
    assert {outcome.messages[name] for name in COLUMNS} == {"unchanged"}, outcome.messages
    assert {name: case.rows("mapping", name) for name in COLUMNS} == tables
    assert {name: case.head("mapping", name) for name in heads} == heads and compiled.read_text() == sql
    # from now on it is the rows that count, not the files
    spread(seeds, random_)
    outcome = case.dbt("seed")
    assert not outcome.statements_of(*COLUMNS) and {outcome.messages[name] for name in COLUMNS} == {"unchanged"}

    shutil.copytree(case.path / "target", case.path / "before")
    own = seeds / "shop/unique_block.csv"
    text = own.read_text()
    own.write_text(f"{text}shop.sales.item,1,item,1,updated_at,nothing\n")
    outcome = case.dbt("seed")
    place = f"seeds/mapping/shop/unique_block.csv:{len(text.splitlines()) + 1}"
    assert f"{place}: shop.sales.item version 1 to item version 1: the entity has no attribute nothing" in outcome.text
    assert not outcome.success and not outcome.statements

    own.write_text("".join(f"{line}\n" for line in text.splitlines()[:-1]))
    found = case.dbt(
        "ls", "--select", "state:modified", "--resource-type", "seed", "--state", str(case.path / "before")
    )
    assert [line for line in found.log if line.startswith("entrepot.")] == ["entrepot.mapping.unique_block"]
    outcome = case.dbt("seed", "--vars", "entrepot_seed_reader: inline")
    assert outcome.messages["unique_block"].endswith("+0 ~0 -1"), outcome.messages
    assert case.rows("mapping", "unique_block") != tables["unique_block"]
