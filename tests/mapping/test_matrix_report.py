"""`entrepot mapping report`: the files for MediaWiki's real history, odd seeds, refused seeds; and how long a large mapping takes."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from entrepot.cli import main
from entrepot.mapping.seeds import COLUMNS

DATA = Path(__file__).parent / "mediawiki"
SEEDS = {
    "schema_attribute": "s,1,a,text,1,true,\ns,1,b,text,2,,\n",
    "entity_attribute": "e,1,x,string,true,\ne,1,y,string,,\n",
    "unique_block": "s,1,e,1,a,x\ns,1,e,1,b,y\n",
}


def put(folder: Path, **rows: str) -> Path:
    """Write the seeds, some with other rows; each has its first line."""
    folder.mkdir(exist_ok=True)
    for name, columns in COLUMNS.items():
        (folder / f"{name}.csv").write_text(",".join(columns) + "\n" + (SEEDS | rows)[name])
    return folder


def run(seeds: Path, out: Path) -> Result:
    return CliRunner().invoke(main, ["mapping", "report", "--seeds", str(seeds), "--out", str(out)])


def written(seeds: Path, out: Path) -> dict[str, list[str]]:
    """The rows of the files of a report, without their first lines."""
    result = run(seeds, out)
    assert result.exit_code == 0, result.output
    return {path.stem: path.read_text().splitlines()[1:] for path in out.glob("*.csv")}


def refused(seeds: Path) -> str:
    result = run(seeds, seeds / "out")
    assert result.exit_code == 2 and isinstance(result.exception, SystemExit), result.output
    assert not (seeds / "out").exists()
    return result.output


def test_the_files_are_those_of_an_independent_oracle_byte_for_byte(tmp_path: Path) -> None:
    result = run(DATA, tmp_path)
    assert result.exit_code == 0 and "1118 rows in" in result.output
    wanted = {
        "balanced_set": "balanced_set",
        "unique_set": "unique_set",
        "matrix": "balanced_set",
        "mapping_review": "review",
    }
    for name, expected in wanted.items():
        assert (tmp_path / f"{name}.csv").read_bytes() == (DATA / f"expected_{expected}.csv").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(f"{name}.csv" for name in wanted)


def test_neither_spark_nor_dbt_nor_delta_is_imported(tmp_path: Path) -> None:
    code = (
        "import sys; from entrepot.cli import main\n"
        f"main(['mapping', 'report', '--seeds', {str(DATA)!r}, '--out', {str(tmp_path)!r}], standalone_mode=False)\n"
        "print(sorted({'pyspark', 'dbt', 'deltalake', 'sqlglot'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_versions_are_numbers_with_gaps_and_the_version_before_a_gap_counts(tmp_path: Path) -> None:
    seeds = put(
        tmp_path / "seeds", schema_attribute="".join(f"s,{n},a,text,1,,\n" for n in (10, 9, 1)) + "s,1,b,text,2,,\n"
    )
    found = written(seeds, tmp_path / "out")
    assert found["balanced_set"] == ["s,1,e,1,a,x", "s,1,e,1,b,y", "s,9,e,1,a,x", "s,10,e,1,a,x"]
    assert found["mapping_review"] == ["s,9,e,1,2,1,b"]


def test_an_attribute_that_comes_back_is_not_inherited_and_a_rename_is_no_new_block(tmp_path: Path) -> None:
    rows = "s,1,a,,1,,\ns,1,b,,2,,\ns,2,a,,1,,\ns,3,c,,1,,a\ns,3,b,,2,,\n"
    found = written(put(tmp_path / "seeds", schema_attribute=rows), tmp_path / "out")
    assert found["unique_set"] == ["s,1,e,1,a,x", "s,1,e,1,b,y", "s,2,e,1,a,x"]
    assert found["balanced_set"][-1] == "s,3,e,1,c,x"


def test_a_version_without_attributes_ends_every_block(tmp_path: Path) -> None:
    found = written(
        put(tmp_path / "seeds", schema_attribute=SEEDS["schema_attribute"] + "s,2,,,,,\n"), tmp_path / "out"
    )
    assert found["unique_set"][-1] == "s,2,e,1,," and found["mapping_review"] == ['s,2,e,1,2,0,"a, b"']


@pytest.mark.parametrize("change", [
    lambda text: "\ufeff" + text,
    lambda text: text.replace("\n", "\r\n"),
    lambda text: text.replace("\n", "\n\n"),
    lambda text: "\n".join(f"{line},more" for line in text.splitlines()),
    lambda text: text.rstrip("\n"),
], ids=["byte order mark", "line ends", "blank lines", "another column", "no last line end"])  # fmt: skip
def test_what_other_tools_do_to_a_file_changes_nothing(tmp_path: Path, change: Callable[[str], str]) -> None:
    plain, odd = put(tmp_path / "plain"), put(tmp_path / "odd")
    for path in odd.glob("*.csv"):
        path.write_bytes(change(path.read_text()).encode())
    assert written(odd, tmp_path / "a") == written(plain, tmp_path / "b")


def test_names_with_line_ends_and_quotes_come_out_as_they_went_in(tmp_path: Path) -> None:
    rows = {"schema_attribute": 's,1,"a\n""1"", x",,1,,\n', "unique_block": 's,1,e,1,"a\n""1"", x",x\n'}
    assert run(put(tmp_path / "seeds", **rows), tmp_path / "out").exit_code == 0
    assert (tmp_path / "out/balanced_set.csv").read_text().partition("\n")[2] == rows["unique_block"]


def test_empty_seeds_have_empty_reports(tmp_path: Path) -> None:
    found = written(
        put(tmp_path / "seeds", schema_attribute="", entity_attribute="", unique_block=""), tmp_path / "out"
    )
    assert set(found) == {"balanced_set", "unique_set", "matrix", "mapping_review"} and not any(found.values())


@pytest.mark.parametrize(("name", "row", "says"), [
    ("unique_block", "s,2,e,1,a,x\n", "unique_block.csv:4: s version 2 to e version 1: schema_attribute has no such version"),
    ("unique_block", "t,1,e,1,a,x\n", "t version 1 to e version 1: schema_attribute has no such version"),
    ("unique_block", "s,1,e,2,a,x\n", "entity_attribute has no such version of the entity"),
    ("unique_block", "s,1,e,1,c,x\n", "the schema has no attribute c in this version"),
    ("unique_block", "s,1,e,1,a,z\n", "the entity has no attribute z in this version"),
    ("unique_block", "s,1,e,1,a,x\n", "attribute a stands 2 times in the block"),
    ("unique_block", "s,1,e,1,a,y\n", "entity_attribute y stands 2 times in the block"),
    ("unique_block", "s,1,e,1,a,\n", "a is mapped to nothing"),
    ("unique_block", "s,1,e,1,,\n", "a null block, and elements besides"),
    ("schema_attribute", "s,1,a,text,3,,\n", "schema_attribute.csv:4: s version 1 has the attribute a already"),
    ("entity_attribute", "e,1,x,string,,\n", "entity_attribute.csv:4: e version 1 has the attribute x already"),
    ("schema_attribute", "s,two,a,text,3,,\n", "schema_attribute.csv:4: version of"),
    ("unique_block", "s,one,e,1,a,x\n", "unique_block.csv:4: version of"),
])  # fmt: skip
def test_seeds_that_contradict_each_other_are_refused_in_words(tmp_path: Path, name: str, row: str, says: str) -> None:
    assert says in refused(put(tmp_path / "seeds", **{name: SEEDS[name] + row}))


def test_a_folder_that_lacks_a_seed_is_refused(tmp_path: Path) -> None:
    seeds = put(tmp_path / "seeds")
    (seeds / "unique_block.csv").unlink()
    assert "has no unique_block.csv." in refused(seeds)


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    result = run(put(tmp_path / "seeds"), tmp_path / "file" / "out")
    assert result.exit_code == 3 and "cannot be written" in result.output


@pytest.mark.long
def test_ten_thousand_attributes_in_ten_versions_take_seconds(tmp_path: Path) -> None:
    """METL 3.6: 10,000 attributes, ten versions, 1,000 attributes of the canonical model."""
    schemas, versions = range(1000), range(1, 11)
    tree = "".join(
        f"s{n},{v},a{p + (v if p == n % 10 else 0) * 10},text,{p + 1},,\n"
        for n in schemas
        for v in versions
        for p in range(10)
    )
    entities = "".join(f"e{k},1,f{q},string,,\n" for k in range(100) for q in range(10))
    blocks = "".join(
        f"s{n},1,e{n % 100},1,a{p + (10 if p == n % 10 else 0)},f{p}\n" for n in schemas for p in range(10)
    )
    seeds = put(tmp_path / "seeds", schema_attribute=tree, entity_attribute=entities, unique_block=blocks)
    begin = time.process_time()
    assert run(seeds, tmp_path / "out").exit_code == 0
    assert time.process_time() - begin < 10
    assert (tmp_path / "out/balanced_set.csv").read_text().count("\n") == 1 + 1000 * (10 + 9 * 9)
