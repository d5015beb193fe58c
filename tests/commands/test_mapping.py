"""`entrepot mapping` in a project: discovered versions are part of it; confirm, new and register append rows and say first what they do."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from entrepot.cli import main
from entrepot.mapping.checks import failures_of
from entrepot.mapping.seeds import COLUMNS
from tests.commands.test_generate import DISCOVERED, PROFILE, put
from tests.mapping.test_matrix_report import put as put_seeds

NAMES = ("schema", "version", "attribute", "data_type", "position", "is_key")
TREE = "shop.public.note,1,id,integer,1,true,\nshop.public.note,1,text,text,2,,\nshop.public.note,1,at,date,3,,\n"
ENTITY = "note,1,note_id,integer,true,\nnote,1,text,string,,\nnote,1,at,date,,\n"
BLOCK = "shop.public.note,1,note,1,id,note_id\nshop.public.note,1,note,1,text,text\nshop.public.note,1,note,1,at,at\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with three attributes of a note, whose version 2, which nobody has registered, has two."""
    (tmp_path / "dbt_project.yml").write_text("name: entrepot\nprofile: shop\n")
    (tmp_path / "profiles.yml").write_text(PROFILE)
    found = [(schema, 2, *rest) for schema, _, *rest in DISCOVERED if schema == "shop.public.note"]
    columns = dict(zip(NAMES, map(list, zip(*found, strict=True)), strict=True))
    put(tmp_path / "warehouse/landing.db/discovered_schema_attribute", columns)
    (tmp_path / "seeds").mkdir()
    put_seeds(tmp_path / "seeds/mapping", schema_attribute=TREE, entity_attribute=ENTITY, unique_block=BLOCK)
    return tmp_path


def run(project: Path, *arguments: str, answer: str | None = None) -> Result:
    place = ["--project-dir", str(project), "--profiles-dir", str(project)]
    return CliRunner().invoke(main, [*place, "mapping", *arguments], input=answer)


def said(result: Result) -> str:
    assert result.exit_code == 0, result.output
    return " ".join(result.output.replace("│", " ").replace("┃", " ").split())


def rows(project: Path, seed: str) -> list[str]:
    return (project / f"seeds/mapping/{seed}.csv").read_text().splitlines()


def test_a_discovered_version_waits_for_a_review(project: Path) -> None:
    assert "shop.public.note 2 note 3 to 2 shrank at" in said(run(project, "review"))
    alone = run(project, "review", "--seeds", str(project / "seeds/mapping"))
    assert said(alone) == "No block waits for a review."


def test_confirm_shows_the_plan_and_stores_the_block_and_its_version(project: Path) -> None:
    before = rows(project, "unique_block")
    shown = said(run(project, "confirm"))
    assert "shop.public.note 2 note 1 text text" in shown and "shop.public.note 2 text text 2 false" in shown
    assert "Waits for a review no more: shop.public.note version 2 to note, without at." in shown
    assert shown.endswith("No event would be mapped otherwise. Nothing has been written: say --yes.")
    assert rows(project, "unique_block") == before
    assert said(run(project, "confirm", "--yes")).endswith("Written. See `git diff`.")
    assert rows(project, "unique_block") == [
        *before,
        "shop.public.note,2,note,1,id,note_id",
        "shop.public.note,2,note,1,text,text",
    ]
    assert rows(project, "schema_attribute")[-2:] == [
        "shop.public.note,2,id,integer,1,true,",
        "shop.public.note,2,text,text,2,false,",
    ]
    assert said(run(project, "review")) == "No block waits for a review."
    again = run(project, "confirm", "--yes")
    assert again.exit_code == 2 and "No such block waits for a review." in again.output


ODD = "shop.[x](y)"
# what each command shows of names that rich would take for styles, links and emoji
SHOWN = {
    ("review",): ("weight [kg]", "odd[/b]", ":ok:", ODD),
    ("search", "note", "--elements"): ("weight [kg]", "odd[/b]", ":ok:", ODD),
    ("progression", ODD): ("weight [kg]", "odd[/b]", ":ok:", ODD),
    ("path", ODD, "weight [kg]"): ("weight [kg]", "weight [kg] is gone", ODD),
    ("path", "--back", "note", "odd[/b]"): ("odd[/b]", "odd[/b] is gone", ODD),
    ("confirm", ODD): (":ok:, odd[/b], weight [kg]", ODD),
    ("diff", "before", "seeds/mapping"): ("+ weight [kg] → weight [kg]", "+ odd[/b] → odd[/b]", "+ :ok: → :ok:", ODD),
    ("new", f"{ODD}2", "note"): ("weight [kg]", "odd[/b]", ":ok:", f"{ODD}2"),
    ("propose",): ("weight [kg]", "weight [kg] 2", ODD),
}


@pytest.mark.parametrize("arguments", SHOWN, ids=" ".join)
def test_names_are_shown_as_they_are(
    project: Path, arguments: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ("id", "weight [kg]", "odd[/b]", ":ok:")
    tree = "".join(
        f"{ODD},1,{name},text,{place},,\n{ODD}2,1,{name},text,{place},,\n" for place, name in enumerate(names, 1)
    )
    entity = ENTITY + "".join(f"note,1,{name},string,,\n" for name in names[1:])
    block = f"{ODD},1,note,1,id,note_id\n" + "".join(f"{ODD},1,note,1,{name},{name}\n" for name in names[1:])
    tree += f"{ODD},2,id,text,1,,\n{ODD},2,weight [kg] 2,text,2,,\n"
    put_seeds(
        project / "before", schema_attribute=tree, entity_attribute=entity, unique_block=f"{ODD},1,note,1,id,note_id\n"
    )
    put_seeds(project / "seeds/mapping", schema_attribute=tree, entity_attribute=entity, unique_block=block)
    monkeypatch.chdir(project)
    shown = said(run(project, *arguments))
    for name in SHOWN[arguments]:
        assert name in shown


def test_confirm_stores_a_null_block_and_says_what_that_ends(project: Path) -> None:
    shown = said(run(project, "confirm", "shop.public.note", "--version", "2", "--entity", "note", "--null", "--yes"))
    assert "shop.public.note 2 note null - id → note_id, - text → text" in shown
    assert "Mapped otherwise: events of shop.public.note version 2. Mapped models concerned: mapped_note." in shown
    assert rows(project, "unique_block")[-1] == "shop.public.note,2,note,1,,"


@pytest.mark.parametrize("options", [("shop.public.other",), ("--version", "1"), ("--entity", "item")])
def test_confirm_refuses_what_does_not_wait(project: Path, options: tuple[str, ...]) -> None:
    result = run(project, "confirm", *options, "--yes")
    assert result.exit_code == 2 and "No such block waits for a review." in result.output


def test_it_asks(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("entrepot.commands.console._can_answer", lambda: True)
    before = rows(project, "unique_block")
    assert (
        "Write this? [y/N]" in said(run(project, "confirm", answer="n\n")) and rows(project, "unique_block") == before
    )
    assert said(run(project, "confirm", answer="y\n")).endswith("Written. See `git diff`.")


def test_commands_refuse_what_dbt_build_refuses(project: Path) -> None:
    """With files and lines."""
    path = project / "seeds/mapping/schema_attribute.csv"
    path.write_text(path.read_text() + "shop.public.note,1,text..city,text,4,,\n")
    refused = run(project, "review")
    assert refused.exit_code == 2
    assert "seeds/mapping/schema_attribute.csv:5: " in refused.output and "text..city" in refused.output


@pytest.mark.parametrize(("seed", "row", "says"), [
    ("schema_attribute", "shop.public.note,one,x,text,4,,\n", ":5: version is one, which is no whole number"),
    ("schema_attribute", "shop.public.note,0,x,text,4,,\n", ":5: version is 0. Versions are 1, 2, 3"),
    ("schema_attribute", "shop.public.note,1,x,text,4,wahr,\n", ":5: is_key is wahr. It is true or false"),
    ("schema_attribute", "shop.public.note,99999999999999999999,x,text,4,,\n", ":5: version is 9999"),
    ("unique_block", "shop.public.note,1,note,one,at,text\n", ":5: entity_version is one"),
])  # fmt: skip
def test_a_folder_is_read_as_a_project_is(project: Path, seed: str, row: str, says: str) -> None:
    """The same words from commands of both, which are those of `dbt build`; generate too."""
    path = project / f"seeds/mapping/{seed}.csv"
    path.write_text(path.read_text() + row)
    (told,) = failures_of({name: (project / f"seeds/mapping/{name}.csv", ",", f"{name}.csv") for name in COLUMNS})
    assert f":{told.line}: {told.given}. {told.instead}".startswith(says)
    folder = ("--seeds", str(project / "seeds/mapping"))
    place = ["--project-dir", str(project), "--profiles-dir", str(project)]
    for result in (
        run(project, "review"), run(project, "review", *folder), run(project, "search", "note", *folder),
        CliRunner().invoke(main, [*place, "generate", "--plan"]),
    ):  # fmt: skip
        assert result.exit_code == 2 and f"{seed}.csv:{told.line}: {told.given}. {told.instead}" in result.output


def test_lines_of_commas_are_no_rows(project: Path) -> None:
    for name in COLUMNS:
        path = project / f"seeds/mapping/{name}.csv"
        path.write_text(path.read_text() + ",,,,,\n , ,,\n")
    assert "shop.public.note 2 note 3 to 2 shrank at" in said(run(project, "review"))
    place = ["--project-dir", str(project), "--profiles-dir", str(project)]
    assert CliRunner().invoke(main, [*place, "generate", "--plan"]).exit_code == 0


@pytest.mark.parametrize("kind", ["gone", "a link to nothing", "a folder", "a folder, of a folder of seeds"])
def test_a_seed_that_is_not_there_is_said(project: Path, kind: str) -> None:
    path = project / "seeds/mapping/unique_block.csv"
    path.unlink()
    if kind == "a link to nothing":
        path.symlink_to(project / "nothing.csv")
    elif kind != "gone":
        path.mkdir()
    more = ("--seeds", str(path.parent)) if kind.endswith("seeds") else ()
    for command in (("review",), ("search", "note"), ("format",)):
        result = run(project, *command, *more)
        assert result.exit_code == 2 and isinstance(result.exception, SystemExit), result.output
        assert "unique_block.csv" in result.output and (
            kind != "gone" or "The project has no unique_block.csv." in result.output
        )


@pytest.mark.parametrize("name", ["nix", "*", "shop.public.notes"])
def test_review_of_a_schema_that_is_not_there(project: Path, name: str) -> None:
    result = run(project, "review", name)
    assert result.exit_code == 2 and f"There is no schema {name}. There is shop.public.note." in result.output
    assert "shop.public.note 2 note 3 to 2 shrank at" in said(run(project, "review", "shop.public.note"))


def test_a_commit_of_the_past_may_have_what_is_refused_now(project: Path) -> None:
    before, after = project / "before", project / "seeds/mapping"
    shutil.copytree(after, before)
    path = before / "schema_attribute.csv"
    path.write_text(path.read_text() + "shop.public.note,1,x,text,4,wahr,\n")
    assert "Nothing" in said(run(project, "diff", str(before), str(after)))
    assert run(project, "diff", str(after), str(before)).exit_code == 2


def test_new_maps_equal_names_and_refuses_a_second_block(project: Path) -> None:
    blocks = project / "seeds/mapping/unique_block.csv"
    blocks.write_text(blocks.read_text().splitlines()[0] + "\n")
    shown = said(run(project, "new", "shop.public.note", "note", "--yes"))
    assert (
        "shop.public.note 1 note added + at → at, + text → text" in shown
        and "shop.public.note 2 note added + text → text" in shown
    )
    assert rows(project, "unique_block")[1:] == [
        "shop.public.note,1,note,1,at,at",
        "shop.public.note,1,note,1,text,text",
    ]
    result = run(project, "new", "shop.public.note", "note")
    assert result.exit_code == 2 and "a stored block is complete" in result.output


def test_new_from_a_file_at_a_discovered_version(project: Path) -> None:
    file = project / "block.csv"
    file.write_text("\ufeffentity_attribute,attribute\r\nnote_id,id\r\n")
    assert "- text → text" in said(
        run(project, "new", "shop.public.note", "note", "--version", "2", "--from", str(file), "--yes")
    )
    assert rows(project, "unique_block")[-1] == "shop.public.note,2,note,1,id,note_id"
    assert rows(project, "schema_attribute")[-1] == "shop.public.note,2,text,text,2,false,"


@pytest.mark.parametrize(("content", "says"), [
    ("attribute,entity_attribute\nid,note_id\ntext,tex\n",
     "block.csv:3: the entity note has no attribute tex in its newest version. Did you mean text?"),
    ("attribute,entity_attribute\n\nids,note_id\n", "block.csv:3: shop.public.note version 2 has no attribute ids. Did you mean id?"),
    ("attribute,entity_attribute\nid,note_id\nid,text\n", "block.csv:3: attribute id stands in line 2 already."),
    ("attribute,entity_attribute\nid,text\ntext,text\n", "block.csv:3: entity_attribute text stands in line 2 already."),
    ("attribute,entity_attribute\nid,at\n",
     "block.csv:2: shop.public.note version 2 to note version 1: id is integer, and no value of it becomes at"),
    ("attribute,entity_attribute\nid,\n", "block.csv:2: entity_attribute is empty."),
    ("attribute\nid\n", "block.csv:1: the file has no column entity_attribute"),
    ("attribute,entity_attribute\nid,note_id,text\n", "block.csv:2: the row has more than 2 values."),
    ("", "has no rows with attribute and entity_attribute"), ("attribute,entity_attribute\n\"id\n", "block.csv:2: the file is no CSV file"),
])  # fmt: skip
def test_new_refuses_what_is_no_block(project: Path, content: str, says: str) -> None:
    (project / "block.csv").write_text(content)
    paths = [project / f"seeds/mapping/{name}.csv" for name in ("schema_attribute", "unique_block")]
    before = [path.read_bytes() for path in paths]
    result = run(
        project, "new", "shop.public.note", "note", "--version", "2", "--from", str(project / "block.csv"), "--yes"
    )
    assert result.exit_code == 2 and says in result.output and [path.read_bytes() for path in paths] == before


def test_rows_that_nobody_has_written_are_refused_with_the_line_they_would_have(project: Path) -> None:
    file = project / "seeds/mapping/entity_attribute.csv"
    file.write_text(file.read_text().replace("note,1,text,string", "note,1,text,date").replace("at,date", "id,boolean"))
    blocks = project / "seeds/mapping/unique_block.csv"
    blocks.write_text(blocks.read_text().splitlines()[0] + "\n")
    tree = project / "seeds/mapping/schema_attribute.csv"
    tree.write_text(tree.read_text().replace("1,id,integer", "1,id,bytea"))
    result = run(project, "new", "shop.public.note", "note", "--yes")
    assert (
        result.exit_code == 2
        and "seeds/mapping/unique_block.csv:2: shop.public.note version 1 to note" in result.output
    )
    assert rows(project, "unique_block")[1:] == []


def test_new_keeps_what_is_inherited_and_says_which_key_a_block_leaves_out(project: Path) -> None:
    """Key and rename, whose names are not equal, and what is new besides."""
    tree, entity = (project / f"seeds/mapping/{name}.csv" for name in ("schema_attribute", "entity_attribute"))
    new = ("id,integer,1,true,", "body,text,2,,text", "due,date,3,,")
    tree.write_text(tree.read_text() + "".join(f"shop.public.note,3,{one}\n" for one in new))
    entity.write_text(entity.read_text() + "note,1,due,date,,\n")
    shown = said(run(project, "new", "shop.public.note", "note", "--version", "3", "--yes"))
    assert "leaves out the key" not in shown
    assert rows(project, "unique_block")[-3:] == [
        f"shop.public.note,3,note,1,{pair}" for pair in ("body,text", "due,due", "id,note_id")
    ]
    (project / "block.csv").write_text("attribute,entity_attribute\ntext,text\n")
    shown = said(
        run(project, "new", "shop.public.note", "note", "--version", "2", "--from", str(project / "block.csv"))
    )
    assert "The block leaves out the key of note version 1: note_id." in shown and "mapping_keys_mapped" in shown


@pytest.mark.parametrize(("arguments", "says"), [
    (("shop.public.notes", "note"), "There is no schema shop.public.notes. There is shop.public.note"),
    (("shop.public.note", "notes"), "There is no entity notes. There is note"),
    (("shop.public.note", "note", "--version", "7"), "shop.public.note has no version 7. It has 1, 2."),
    (("shop.public.note", "note", "--version", "0"), "shop.public.note has no version 0. It has 1, 2."),
    (("shop.public.note", "note", "--version", "2", "--from", "none.csv"), "none.csv cannot be read: No such file or directory."),
])  # fmt: skip
def test_new_says_what_is_not_there(project: Path, arguments: tuple[str, ...], says: str) -> None:
    result = run(project, "new", *arguments)
    assert result.exit_code == 2 and says in result.output


def test_register_writes_discovered_versions_once(project: Path) -> None:
    shown = said(run(project, "register", "shop.*", "--yes"))
    assert "shop.public.note 2 id integer 1 true" in shown and shown.endswith(
        "Nothing: both come to the same mapping. Written. See `git diff`."
    )
    assert rows(project, "schema_attribute")[-1] == "shop.public.note,2,text,text,2,false,"
    again = run(project, "register")
    assert again.exit_code == 2 and "No such version has to be registered. None is discovered." in again.output


def test_register_writes_the_first_rows_of_a_project(project: Path) -> None:
    for name in COLUMNS:
        (project / f"seeds/mapping/{name}.csv").unlink()
    assert said(run(project, "register", "--yes")).endswith("Written. See `git diff`.")
    assert rows(project, "schema_attribute")[-1] == "shop.public.note,2,text,text,2,false,"


def test_a_project_without_a_warehouse_has_its_seeds_alone(project: Path) -> None:
    (project / "profiles.yml").write_text(PROFILE.replace("'warehouse'", "'elsewhere'"))
    assert said(run(project, "review")) == "No block waits for a review."


def test_delete_refuses_a_version_that_events_have_shown(project: Path) -> None:
    assert said(run(project, "register", "--yes")).endswith("Written. See `git diff`.")
    result = run(project, "delete", "shop.public.note", "2", "--yes")
    assert (
        result.exit_code == 2
        and "shop.public.note version 2 has been discovered: its events have landed." in result.output
    )
    assert rows(project, "schema_attribute")[-1] == "shop.public.note,2,text,text,2,false,"


def test_the_page_is_written_beside_dbt_docs_with_discovered_versions_and_links(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "models").mkdir()
    (project / "models/mapped_note.sql").write_text("{{ map_to_entity('note') }}")
    (project / "models/mapped_note_v1.sql").write_text("{{ map_to_entity('note') }}")
    assert said(run(project, "page")).endswith("/target/mapping.html")
    text = (project / "target/mapping.html").read_text()
    assert (
        '["mapped_note","#!/model/model.entrepot.mapped_note"],["mapped_note_v1","#!/model/model.entrepot.mapped_note_v1"]'
        in text
        and 'data-docs="index.html"' in text
    )
    # version 2 is discovered, at position 1, and has lost one of three elements
    assert '"shop.public.note",[1,2],[1],' in text and '[[1,0,1,3,2,["at"]]]' in text and str(project) not in text
    (project / "dbt_project.yml").write_text("name: entrepot\nprofile: shop\ntarget-path: out\n")
    run(project, "page")
    assert (project / "out/mapping.html").read_text() == text
    monkeypatch.setenv("DBT_TARGET_PATH", "elsewhere")
    run(project, "page", "--out", str(project / "public/page.html"))
    assert (project / "public/page.html").read_text() == text.replace('"index.html"', '"../elsewhere/index.html"')
    alone = run(project, "page", "--seeds", str(project / "seeds/mapping"), "--out", str(project / "alone.html"))
    assert said(alone).endswith("/alone.html") and "mapped_note" not in (project / "alone.html").read_text()


def test_a_page_that_cannot_be_written_is_said_and_contradictions_are_refused(project: Path) -> None:
    (project / "file").write_text("")
    result = run(project, "page", "--out", str(project / "file/page.html"))
    assert result.exit_code == 3 and "cannot be written" in result.output and "--out FILE" in result.output
    put_seeds(
        project / "seeds/mapping",
        schema_attribute=TREE,
        entity_attribute=ENTITY,
        unique_block="no,1,note,1,id,note_id\n",
    )
    result = run(project, "page")
    assert result.exit_code == 2 and "contradict each other" in result.output
    assert not (project / "target").exists()
