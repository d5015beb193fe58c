"""Owners' folders beside the seeds: their lines are the seeds', in whatever file and order they lie, and new ones go where they belong; no Spark."""

from __future__ import annotations

import subprocess
from itertools import islice
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from entrepot.cli import main
from entrepot.errors import EntrepotError
from entrepot.mapping.checks import failures_of, sentence_of
from entrepot.mapping.compiled import told
from entrepot.mapping.matrix.report import report
from entrepot.mapping.matrix.seeded import seeds_of, state_of
from entrepot.mapping.placing import with_rows
from entrepot.mapping.project import read_project
from entrepot.mapping.seeds import COLUMNS, Row, Seeds
from entrepot.mapping.united import united
from tests.commands.test_generate import PROFILE
from tests.mapping.test_matrix_dense import SEED, cases

SCHEMA, ENTITY, BLOCK = COLUMNS
# {owner: {seed: rows}}: two sources, each with its tree and its blocks; entities are the three files'
TWO = {
    "": {ENTITY: "item,1,code,string,true,\nitem,1,name,string,,\nunit,1,unit,string,true,\n"},
    "shop": {
        SCHEMA: "shop.s.item,1,id,text,1,true,\nshop.s.item,1,label,text,2,,\n",
        BLOCK: "shop.s.item,1,item,1,id,code\n",
    },
    "plant": {SCHEMA: "plant.p.unit,1,unit,text,1,true,\n", BLOCK: "plant.p.unit,1,unit,1,unit,unit\n"},
}


def put(folder: Path, files: dict[str, dict[str, str]]) -> Path:
    """Write files of owners, each with its first line; the three files are always there."""
    for owner in ("", *files):
        for name, rows in ({**dict.fromkeys(COLUMNS, ""), **files.get("", {})} if not owner else files[owner]).items():
            path = folder / owner / f"{name}.csv"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(",".join(COLUMNS[name]) + "\n" + rows)
    return folder


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A dbt project with two owners."""
    (tmp_path / "dbt_project.yml").write_text("name: entrepot\nprofile: shop\n")
    (tmp_path / "profiles.yml").write_text(PROFILE)
    put(tmp_path / "seeds/mapping", TWO)
    return tmp_path


def run(project: Path, *arguments: str) -> Result:
    place = ["--project-dir", str(project), "--profiles-dir", str(project)]
    return CliRunner().invoke(main, [*place, "mapping", *arguments])


def lines(project: Path, file: str) -> list[str]:
    return (project / "seeds/mapping" / file).read_text().splitlines()[1:]


def named(folder: Path) -> dict[str, tuple[Path, str, str]]:
    return {name: (folder / f"{name}.csv", ",", f"seeds/mapping/{name}.csv") for name in COLUMNS}


def test_neither_the_order_of_lines_nor_of_folders_nor_the_file_matters(tmp_path: Path) -> None:
    print(f"ENTREPOT_TEST_SEED={SEED}")
    for number, (_, state, random_) in enumerate(islice(cases(61), 40)):
        rows = {
            SCHEMA: [f"{schema},{one.number},{each.name},,{each.position},,{each.renamed_from}"
                     for schema, versions in state.domain.schemas.items() for one in versions for each in one.attributes],
            ENTITY: [f"{entity},{version},{each.name},,," for entity, versions in state.range.entities.items()
                     for version, some in versions.items() for each in some],
            BLOCK: [",".join(map(str, one)) for one in state.rows(state.stored) if state.domain.version(*one[:2]).attributes],  # type: ignore[union-attr]
        }  # fmt: skip
        found = []
        for owners in ([""], ["", "a", "b"], ["", "z", "a b", "_c"]):
            files: dict[str, dict[str, str]] = {owner: dict.fromkeys(COLUMNS, "") for owner in owners}
            for name, some in rows.items():
                for row in random_.sample(some, len(some)):
                    files[random_.choice(owners)][name] += f"{row}\n"
            folder = put(tmp_path / f"{number} {len(owners)}", files)
            seeds = seeds_of(folder)
            found.append((
                report(state_of(seeds)),
                [united(getattr(seeds, name), f"{name}.csv").content for name in COLUMNS],
            ))  # fmt: skip
            one = united(seeds.unique_block, "seeds/unique_block.csv")
            for (file, line), text in zip(one.origins, one.content.decode().splitlines()[1:], strict=True):
                assert (folder / Path(file).relative_to("seeds")).read_text().splitlines()[line - 1] == text
        assert found[0] == found[1] == found[2]


def test_what_is_wrong_is_said_with_the_owner_s_file_and_line(tmp_path: Path) -> None:
    again, other = "shop.s.item,1,item,1,id,code\n", "shop.s.item,1,item,1,id,name\n"
    files = {
        **TWO,
        "plant": {SCHEMA: "shop.s.item,1,id,text,1,true,\n,1,x,,,,\n", BLOCK: again},
        "zinc": {BLOCK: other},
    }
    folder = put(tmp_path, files)
    said = sentence_of(failures_of(named(folder)))
    assert [line.strip() for line in said.splitlines()[1:-1]] == [
        "seeds/mapping/plant/schema_attribute.csv:3: schema is empty. Every row has schema, version, attribute.",
        "seeds/mapping/shop/schema_attribute.csv:2: shop.s.item version 1 has id already, in seeds/mapping/plant/schema_attribute.csv:2. "
        "Take one of the rows out.",
        "seeds/mapping/shop/unique_block.csv:2: shop.s.item version 1 to item version 1: the row is there already, in "
        "seeds/mapping/plant/unique_block.csv:2. Take one of the two out.",
        "seeds/mapping/zinc/unique_block.csv:2: shop.s.item version 1 to item version 1: id is mapped to name, and is mapped to code in "
        "seeds/mapping/plant/unique_block.csv:2. Within a block an attribute becomes one entity attribute, and that comes from one "
        "attribute: take one of the rows out.",
    ]  # fmt: skip
    (folder / "plant/schema_attribute.csv").unlink()
    with pytest.raises(EntrepotError) as refused:
        state_of(seeds_of(folder))
    assert "plant/unique_block.csv:2: shop.s.item version 1 to item version 1: attribute id stands 3 times" in str(
        refused.value
    )
    (folder / "plant/unique_block.csv").write_text(",".join(COLUMNS[BLOCK]) + "\nshop.s.item,one,item,1,id,code\n")
    with pytest.raises(EntrepotError, match=r"plant/unique_block\.csv:2: version of .* is no number"):
        state_of(seeds_of(folder))


def test_what_a_dbt_test_finds_is_told_with_the_owner_s_line(tmp_path: Path) -> None:
    folder = put(tmp_path, TWO)
    row = {"seed": BLOCK, "schema": "plant.p.unit", "version": 1, "problem": "p", "instead": "i."}
    assert told([row, row | {"version": 2}], named(folder)) == [
        "seeds/mapping/plant/unique_block.csv:2: p. i.", "seeds/mapping/unique_block.csv: p. i.",
    ]  # fmt: skip


HEADER = ",".join(COLUMNS[BLOCK])
STRANGE = {
    "a fourth file": ("shop/lookup.csv", "a,b\n1,2\n", "it is no seed of the mapping"),
    "a file of another kind": ("shop/unique_block.yml", "seeds: []\n", "it is no seed of the mapping"),
    "a name with a mistake": ("zinc/unique_blocks.csv", f"{HEADER}\n", "it is no seed of the mapping"),
    "a folder in a folder": ("shop/sales/unique_block.csv", f"{HEADER}\n", "it lies too deep"),
    "a folder in a folder without files": ("north/sales/unique_block.csv", f"{HEADER}\n", "it lies too deep"),
    "another first line": ("zinc/unique_block.csv", f"{HEADER},by\n", "Files of one seed have the same first line"),
    "a column that is missing": ("zinc/unique_block.csv", "schema,version\n", "has no column entity"),
}


@pytest.mark.parametrize("case", STRANGE)
def test_nothing_in_an_owner_s_folder_is_overlooked(project: Path, case: str) -> None:
    file, text, says = STRANGE[case]
    path = project / "seeds/mapping" / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    said = run(project, "review")
    assert said.exit_code == 2 and says in " ".join(said.output.split()) and file in said.output
    (failure,) = failures_of(named(project / "seeds/mapping"))
    assert failure.file == f"seeds/mapping/{file}" and says in f"{failure.given}. {failure.instead}"


def test_what_is_left_alone(project: Path) -> None:
    for file in (
        "shop/README.md",
        "shop/.DS_Store",
        ".hidden/unique_block.csv",
        "reference/country.csv",
        "zinc/unique_block.csv",
    ):
        path = project / "seeds/mapping" / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("" if "zinc" in file else "code,name\n")
    assert run(project, "review").exit_code == 0 and failures_of(named(project / "seeds/mapping")) == []


def row(name: str, *values: object) -> Row:
    return dict(zip(COLUMNS[name], map(str, values), strict=False))


def owners(seeds: Seeds, new: dict[str, list[Row]], owner: str | None = None) -> dict[str, list[str]]:
    after = with_rows(seeds, new, owner)
    return {name: [file.owner for file in getattr(after, name).files for _ in file.added] for name in new}


def test_new_lines_go_where_the_others_are(tmp_path: Path) -> None:
    seeds = seeds_of(put(tmp_path, TWO | {"goods": {ENTITY: "good,1,id,string,true,\n"}}))
    for new, owner, expected in (
        ({SCHEMA: [row(SCHEMA, "shop.s.item", 2, "id")]}, None, {SCHEMA: ["shop"]}),
        ({ENTITY: [row(ENTITY, "good", 2, "id")]}, None, {ENTITY: ["goods"]}),
        ({BLOCK: [row(BLOCK, "shop.s.item", 2, "item", 1, "id", "code")]}, None, {BLOCK: ["shop"]}),
        # another table of a source, an entity and a block that are new
        ({SCHEMA: [row(SCHEMA, "shop.s.order", 1, "id")]}, None, {SCHEMA: ["shop"]}),
        ({SCHEMA: [row(SCHEMA, "bank.b.payment", 1, "id")]}, None, {SCHEMA: [""]}),
        ({ENTITY: [row(ENTITY, "order", 1, "id")]}, None, {ENTITY: [""]}),
        ({BLOCK: [row(BLOCK, "shop.s.item", 1, "unit", 1, "id", "unit")]}, None, {BLOCK: ["shop"]}),
        ({SCHEMA: [row(SCHEMA, "bank.b.good", 1, "id")], BLOCK: [row(BLOCK, "bank.b.good", 1, "good", 1, "id", "id")]}, None,
         {SCHEMA: [""], BLOCK: ["goods"]}),
        ({SCHEMA: [row(SCHEMA, "shop.s.order", 1, "id")], ENTITY: [row(ENTITY, "order", 1, "id")],
          BLOCK: [row(BLOCK, "shop.s.order", 1, "order", 1, "id", "id")]}, None, {SCHEMA: ["shop"], ENTITY: ["shop"], BLOCK: ["shop"]}),
        # said
        ({SCHEMA: [row(SCHEMA, "shop.s.order", 1, "id"), row(SCHEMA, "shop.s.item", 2, "id")]}, "new", {SCHEMA: ["shop", "new"]}),
        ({BLOCK: [row(BLOCK, "shop.s.item", 1, "unit", 1, "id", "unit")]}, "", {BLOCK: [""]}),
    ):  # fmt: skip
        assert owners(seeds, new, owner) == expected, (new, owner)
    both = {BLOCK: [row(BLOCK, "shop.s.item", 1, "good", 1, "id", "id")]}
    with pytest.raises(EntrepotError, match=r"shop\.s\.item and good have different owners, goods and shop"):
        with_rows(seeds, both)
    assert owners(seeds, both, "shop") == {BLOCK: ["shop"]}
    with pytest.raises(EntrepotError, match=r"Nothing of this goes to --owner plant: .*shop/schema_attribute\.csv"):
        with_rows(seeds, {SCHEMA: [row(SCHEMA, "shop.s.item", 2, "id")]}, "plant")


def test_a_schema_in_two_files_goes_on_where_its_newest_version_is(tmp_path: Path) -> None:
    folder = put(
        tmp_path, {"a": {SCHEMA: "s.t,2,id,,,,\n"}, "b": {SCHEMA: "s.t,10,id,,,,\n"}, "c": {SCHEMA: "s.t,9,id,,,,\n"}}
    )
    assert owners(seeds_of(folder), {SCHEMA: [row(SCHEMA, "s.t", 11, "id")]}) == {SCHEMA: ["b"]}


def test_commands_write_to_the_owner_s_files(project: Path) -> None:
    new = project / "block.csv"
    new.write_text("attribute,entity_attribute\nid,unit\n")
    shown = run(project, "new", "shop.s.item", "unit", "--from", str(new), "--owner", "both", "--yes")
    assert shown.exit_code == 0 and "seeds/mapping/both/unique_block.csv" in "".join(shown.output.split()), shown.output
    assert (
        lines(project, "both/unique_block.csv") == ["shop.s.item,1,unit,1,id,unit"]
        and lines(project, "unique_block.csv") == []
    )
    assert (project / ".dbtignore").read_text() == "seeds/mapping/*/\n"
    # a version of the schema and an entity version go: lines of three files
    assert run(project, "delete", "plant.p.unit", "1", "--yes").exit_code == 0
    assert lines(project, "plant/schema_attribute.csv") == lines(project, "plant/unique_block.csv") == []
    assert run(project, "retire", "unit", "1", "--yes").exit_code == 0
    assert (
        lines(project, "both/unique_block.csv") == []
        and lines(project, "entity_attribute.csv")[-1] == "item,1,name,string,,"
    )
    for text in ("a/b", "..", ""):
        refused = run(project, "new", "shop.s.item", "unit", "--owner", text)
        assert refused.exit_code == 2 and "is no name of a folder" in " ".join(refused.output.split()), refused.output


def test_format_lays_all_files_out_and_moves_no_line(project: Path) -> None:
    tree = project / "seeds/mapping/shop/schema_attribute.csv"
    tree.write_text(tree.read_text() + '"shop.s.item",0,a,,,,\r\n')
    check = run(project, "format", "--check")
    assert check.exit_code == 1 and "shop/schema_attribute.csv is laid out otherwise." in " ".join(check.output.split())
    assert run(project, "format").exit_code == 0 and run(project, "format", "--check").exit_code == 0
    assert (
        lines(project, "shop/schema_attribute.csv")[0] == "shop.s.item,0,a,,,,"
        and lines(project, "schema_attribute.csv") == []
    )


def test_the_seed_s_own_file_is_the_one_that_the_others_lie_below(project: Path) -> None:
    seeds = read_project(project).seeds
    assert [file.name for file in seeds.unique_block.files] == [
        "unique_block.csv",
        "plant/unique_block.csv",
        "shop/unique_block.csv",
    ]
    assert seeds.unique_block.path == project / "seeds/mapping/unique_block.csv"
    for name in (BLOCK, SCHEMA, ENTITY):
        (project / f"seeds/mapping/{name}.csv").unlink()
        seeds = read_project(project).seeds
        assert len(seeds.unique_block.rows) == 2, "no owner's file is taken for the seed's own"
        assert seeds.unique_block.path == project / "seeds/mapping/unique_block.csv"


def git(project: Path, *arguments: str) -> str:
    name = ["-c", "user.name=somebody", "-c", "user.email=somebody@example.org"]
    return subprocess.run(
        ["git", "-C", str(project), *name, *arguments], check=True, capture_output=True, text=True
    ).stdout


def test_work_of_two_owners_is_merged_without_a_conflict(project: Path) -> None:
    git(project, "init", "-q", "-b", "main")
    git(project, "add", ".")
    git(project, "commit", "-qm", "before")
    for owner, schema, other, pair in (
        ("shop", "shop.s.item", "unit", "id,unit"),
        ("plant", "plant.p.unit", "item", "unit,code"),
    ):
        git(project, "checkout", "-q", "-b", owner, "main")
        file = project / "block.csv"
        file.write_text(f"attribute,entity_attribute\n{pair}\n")
        assert run(project, "new", schema, other, "--from", str(file), "--yes").exit_code == 0
        assert run(project, "format").exit_code == 0
        git(project, "commit", "-qam", owner)
    git(project, "checkout", "-q", "main")
    git(project, "merge", "-q", "shop")
    git(project, "merge", "-q", "-m", "both", "plant")
    assert len(seeds_of(project / "seeds/mapping").unique_block.rows) == 4
    # lines that move from file to file, with the folder of an owner that goes, change nothing
    seeds = project / "seeds/mapping"
    for name in (SCHEMA, BLOCK):
        moved = seeds / f"shop/{name}.csv"
        (seeds / f"{name}.csv").write_text((seeds / f"{name}.csv").read_text() + moved.read_text().partition("\n")[2])
        moved.unlink()
    shown = run(project, "diff", "--exit-code")
    assert shown.exit_code == 0, shown.output
    assert "Nothing: both come to the same mapping." in shown.output
    (seeds / "plant/unique_block.csv").unlink()
    shown = run(project, "diff", "--against", "HEAD")
    assert "plant.p.unit" in shown.output and "gone" in shown.output


def test_seeds_may_lie_in_folders_of_owners_alone(tmp_path: Path) -> None:
    put(tmp_path, TWO)
    for name in (SCHEMA, BLOCK):
        (tmp_path / f"{name}.csv").unlink()
    assert len(seeds_of(tmp_path).unique_block.rows) == 2
    (tmp_path / f"{ENTITY}.csv").unlink()
    with pytest.raises(EntrepotError, match=r"has no entity_attribute\.csv"):
        seeds_of(tmp_path)
