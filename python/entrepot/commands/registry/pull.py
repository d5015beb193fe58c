"""`entrepot registry pull`: the versions of a schema registry into the seed schema_attribute, and its schemas into the repository."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from entrepot.commands.console import agreed, console, yes_option
from entrepot.commands.mapping.differences import print_difference
from entrepot.commands.mapping.seeds import Given, given, owner_option
from entrepot.commands.mapping.storing import refuse_appended
from entrepot.errors import EnvironmentProblemError
from entrepot.mapping.matrix.difference import difference
from entrepot.mapping.matrix.registering import registration
from entrepot.mapping.matrix.seeded import state_of
from entrepot.mapping.placing import with_rows
from entrepot.mapping.seeds import Seed
from entrepot.mapping.writing import appended, replace_all, rewritten
from entrepot.registry.asking import Answer, Asked, answer_of
from entrepot.registry.client import PASSWORD, TOKEN, USER, Registry
from entrepot.registry.kept import FOLDER, files_of, read_kept, refuse_unnamed
from entrepot.registry.pull import Pull, pull_of
from entrepot.target import project_folder

NAMED = 5  # subjects that are named of those that nobody has asked for


@click.command(
    epilog=f"Credentials are in the environment: {USER} and {PASSWORD}, or a token in {TOKEN}.",
)
@click.argument("subjects", nargs=-1, metavar="[SUBJECT]...")
@click.option(
    "--url", required=True, envvar="ENTREPOT_REGISTRY_URL", show_envvar=True, help="Where the registry's API begins."
)
@click.option("--exclude", multiple=True, metavar="SUBJECT", help="Leave these out.")
@click.option(
    "--timeout",
    "seconds",
    type=click.FloatRange(min=0.1),
    default=30,
    show_default=True,
    metavar="SECONDS",
    help="How long an answer may take.",
)
@owner_option
@yes_option
@click.pass_obj
def pull(place: dict[str, Any], subjects: tuple[str, ...], url: str, exclude: tuple[str, ...], seconds: float, owner: str | None,
         yes: bool) -> None:  # fmt: skip
    """Write the schema versions that a registry has into schema_attribute.csv, and its schemas into the folder registry.

    SUBJECT may have * and ?; without one, all that are called <topic>-value. Keys come from <topic>-key. The plan comes first. Rows are
    appended, with the next number of their schema; what has been pulled keeps its number, so a second pull has nothing to write. What the
    registry does not have any more is told, and stays.

    \b
    entrepot registry pull --url http://registry:8080/apis/ccompat/v7
    entrepot registry pull 'shop.*-value' --exclude 'shop.public.flyway*'
    """
    registry, asked = Registry.of(url, seconds), Asked(subjects, exclude)
    found, out = given(place, None, may_lack=True), console(highlight=False)
    folder = project_folder(place["project_dir"]) / FOLDER
    before = read_kept(folder)
    answer = answer_of(registry, asked)
    pulled = pull_of(answer, asked, before, found.seeds.versions(), found.discovered)
    wanted = {folder / name: content for name, content in files_of(pulled.kept).items()}
    files = changed(folder, wanted)
    refuse_unnamed(folder, [path for path, content in files.items() if content is None], before)
    print_pull(out, answer, asked, pulled)
    if not files and not pulled.versions:
        out.print("Nothing to write: the repository has all of it.")
        return
    seed = _appended(out, found, pulled, owner)
    paths = ", ".join(str(file.path) for file, _ in appended(seed)) or seed.path
    out.print(f"{len(pulled.versions)} versions to {paths}, {len(files)} files in {folder}.")
    if yes or agreed(out):
        _write(found, seed, files)
        out.print("Written. See `git diff`.")


def changed(folder: Path, wanted: Mapping[Path, bytes]) -> dict[Path, bytes | None]:
    """Return the files of the folder that are to be written, and those that go, which are None; versions.csv last."""
    gone = [path for path in sorted((folder / "schemas").glob("[0-9]*.*")) if path not in wanted]
    new = {path: content for path, content in wanted.items() if not path.exists() or path.read_bytes() != content}
    return {**dict.fromkeys(gone), **new}


def print_pull(out: Console, answer: Answer, asked: Asked, pulled: Pull) -> None:
    """Print what is new, what is left alone and why, and what the registry does not have any more."""
    if pulled.versions:
        table = Table("schema", "version", "subject", "registry's", "id", "attributes", show_edge=False, pad_edge=False)
        for row in rows_of(pulled):
            table.add_row(*row)
        out.print(table)
        out.print()
    for subject, why in sorted(pulled.left.items()):
        out.print(f"Left alone: {subject}: {why}.")
    others = answer.left()
    if others and not asked.patterns and not asked.excluded:
        named = f"{', '.join(others[:NAMED])}{' …' if len(others) > NAMED else ''}"
        out.print(f"Left alone: {named}: not called <topic>-value; whoever wants one names it.")
    for note in pulled.notes:
        out.print(note)


def rows_of(pulled: Pull) -> list[Sequence[str]]:
    """Return the new versions as rows of text, each with the subjects' versions that it is."""
    rows: list[Sequence[str]] = []
    for version in pulled.versions:
        same = [one.definition for one in pulled.kept if (one.schema, one.version) == (version.schema, version.number)]
        rows.append((
            version.schema, str(version.number), same[0].subject, ", ".join(str(one.version) for one in same),
            ", ".join(str(one.schema_id) for one in same), str(len(version.attributes)),
        ))  # fmt: skip
    return rows


def _appended(out: Console, found: Given, pulled: Pull, owner: str | None) -> Seed:
    """Print what the new rows do, and return the seed with them."""
    rows = registration(pulled.versions)
    after = with_rows(found.seeds, {"schema_attribute": rows}, owner)
    if rows:
        before = found.state()
        refuse_appended(after, found.root, {})
        out.print("What this does:")
        print_difference(out, difference(before, state_of(after, found.discovered)))
    return after.schema_attribute


def _write(found: Given, seed: Seed, files: Mapping[Path, bytes | None]) -> None:
    last = {path: files[path] for path in files if path.name == "versions.csv"}
    first = {path: one for path, one in files.items() if path not in last}
    try:
        replace_all({**first, **rewritten(appended(seed), found.root), **last})
    except OSError as error:
        raise EnvironmentProblemError(
            f"{error.filename} cannot be written: {error.strerror}.",
            "Nothing has been written. Make room, or give yourself the right to it.",
        ) from error
