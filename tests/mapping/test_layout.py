"""The layout of seeds: the same rows are the same file, however they were written, and nothing is lost."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from entrepot.cli import main
from entrepot.mapping.layout import laid_out
from entrepot.mapping.matrix.report import report
from entrepot.mapping.matrix.seeded import seeds_of, state_of
from entrepot.mapping.seeds import COLUMNS
from tests.mapping.test_matrix_dense import SEED, cases
from tests.mapping.test_matrix_report import put

ROWS = {
    "schema_attribute": 's,10,a,"numeric(3,1)",1,,\ns,9,b,,2,,\ns,9,"a\n,""x""",,1,true,\n',
    "entity_attribute": "e,1,y,string,,later\ne,1,x,string,true,first\nd,1,z,string,,\n",
    "unique_block": "s,10,e,1,a,x\ns,9,e,1,b,y\ns,9,d,1,,\n",
}


def run(seeds: Path, *options: str) -> Result:
    return CliRunner().invoke(main, ["mapping", "format", "--seeds", str(seeds), *options])


def contents(seeds: Path) -> dict[str, bytes]:
    return {name: (seeds / f"{name}.csv").read_bytes() for name in COLUMNS}


def test_rows_are_sorted_by_numbers_and_entity_attributes_stay_in_their_order(tmp_path: Path) -> None:
    seeds = put(tmp_path / "seeds", **ROWS)
    assert run(seeds, "--check").exit_code == 1 and contents(seeds) == contents(put(tmp_path / "again", **ROWS))
    assert run(seeds).exit_code == 0
    found = {name: text.decode().partition("\n")[2] for name, text in contents(seeds).items()}
    assert found == {
        "schema_attribute": 's,9,"a\n,""x""",,1,true,\ns,9,b,,2,,\ns,10,a,"numeric(3,1)",1,,\n',
        "entity_attribute": "d,1,z,string,,\ne,1,y,string,,later\ne,1,x,string,true,first\n",
        "unique_block": "s,9,d,1,,\ns,9,e,1,b,y\ns,10,e,1,a,x\n",
    }
    assert run(seeds, "--check").exit_code == 0 and "All seeds are laid out." in run(seeds).output


@pytest.mark.parametrize("change", [
    lambda text: "\ufeff" + text, lambda text: text.replace("\n", "\r\n").replace('"a\r\n', '"a\n'),
    lambda text: text.replace("s,9,b", '"s","9",b').rstrip("\n"),
], ids=["mark", "line ends", "quotes"])  # fmt: skip
def test_however_a_file_was_written_it_is_the_same(tmp_path: Path, change: Callable[[str], str]) -> None:
    plain, odd = put(tmp_path / "plain", **ROWS), put(tmp_path / "odd", **ROWS)
    for name, content in contents(odd).items():
        (odd / f"{name}.csv").write_bytes(change(content.decode()).encode())
    assert run(plain).exit_code == run(odd).exit_code == 0
    assert contents(plain) == contents(odd)


def test_the_order_of_lines_does_not_matter_and_the_mapping_stays(tmp_path: Path) -> None:
    print(f"ENTREPOT_TEST_SEED={SEED}")
    random_ = random.Random(SEED)
    for _, state, _ in islice(cases(41), 20):
        rows = {
            "schema_attribute": [f"{schema},{one.number},{each.name},,{each.position},,{each.renamed_from}"
                                 for schema, versions in state.domain.schemas.items() for one in versions for each in one.attributes],
            "entity_attribute": [f"{entity},{number},{each.name},,," for entity, versions in state.range.entities.items()
                                 for number, some in versions.items() for each in some],
            "unique_block": [",".join(map(str, one)) for one in state.rows(state.stored) if state.domain.version(*one[:2]).attributes],  # type: ignore[union-attr]
        }  # fmt: skip
        laid = []
        for folder in ("one", "other"):
            for lines in (rows["schema_attribute"], rows["unique_block"]):
                random_.shuffle(lines)
            seeds = put(
                tmp_path / folder, **{name: "".join(f"{line}\n" for line in lines) for name, lines in rows.items()}
            )
            before = report(state_of(seeds_of(seeds)))
            assert run(seeds).exit_code == 0 and report(state_of(seeds_of(seeds))) == before
            laid.append(contents(seeds))
        assert laid[0] == laid[1]


def test_columns_that_somebody_added_stay(tmp_path: Path) -> None:
    seeds = put(tmp_path / "seeds", **ROWS)
    text = (seeds / "unique_block.csv").read_text().splitlines()
    (seeds / "unique_block.csv").write_text("".join(f"{line},{place or 'owner'}\n" for place, line in enumerate(text)))
    assert run(seeds).exit_code == 0
    assert (seeds / "unique_block.csv").read_text().splitlines()[1:] == [
        "s,9,d,1,,,3",
        "s,9,e,1,b,y,2",
        "s,10,e,1,a,x,1",
    ]


def test_what_cannot_be_laid_out_is_left_as_it_is(tmp_path: Path) -> None:
    for rows, says in (
        ("s,1,e,1,a,x,too much\n", "has 7 values, and there are 6 columns"),
        ("s,one,e,1,a,x\n", "is no number"),
    ):
        seeds = put(tmp_path / "seeds", unique_block=rows, entity_attribute=ROWS["entity_attribute"])
        before, result = contents(seeds), run(seeds)
        assert result.exit_code == 2 and says in result.output and contents(seeds) == before


@pytest.mark.parametrize("column", ["x", "version"])
def test_a_column_twice_loses_nothing(tmp_path: Path, column: str) -> None:
    seeds = put(tmp_path / "seeds", **ROWS)
    text = (seeds / "unique_block.csv").read_text().splitlines()
    names = [column, column] if column == "x" else ["y", column]
    (seeds / "unique_block.csv").write_text(
        "".join(f"{line},{','.join(names if not n else '12')}\n" for n, line in enumerate(text))
    )
    before, result = contents(seeds), run(seeds)
    assert result.exit_code == 2 and contents(seeds) == before
    assert f"unique_block.csv:1: the first line has the column {column} more than once" in result.output


def test_lines_of_commas_go(tmp_path: Path) -> None:
    plain, odd = put(tmp_path / "plain", **ROWS), put(tmp_path / "odd", **ROWS)
    for path in odd.glob("*.csv"):
        path.write_text(path.read_text() + ",,,,,\n , ,\n")
    assert run(plain).exit_code == run(odd).exit_code == 0
    assert contents(plain) == contents(odd)


def test_the_seeds_of_this_repository() -> None:
    seeds = seeds_of(Path(__file__).parents[2] / "seeds/mapping")
    for file in seeds.files:
        assert laid_out(file.path.stem, file).count(b"\n") == file.content.count(b"\n")
