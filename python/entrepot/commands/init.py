"""`entrepot init`: a dbt project that builds at once."""

from __future__ import annotations

import re
from pathlib import Path

import click

from entrepot.errors import EntrepotError, EnvironmentProblemError

STARTER = Path(__file__).parents[1] / "starter"
PLACEHOLDER = "my_warehouse"
# dbt's rule for the names of projects
NAME = re.compile(r"[^\d\W]\w*")
# projects that come with dbt and the adapter
TAKEN = ("dbt", "dbt_spark", "dbt_entrepot", "entrepot")
# wheels leave out files whose names begin with a dot
RENAMED = {"gitignore": ".gitignore"}


@click.command()
@click.argument("name")
def init(name: str) -> None:
    """Start a dbt project in a new folder NAME, with a profile, a landing folder with one file, and a model over it.

    It builds as it is. Needs no network; the first `dbt build` fetches Delta's jars where they are not there yet.

    \b
    entrepot init my_warehouse
    """
    check_name(name)
    folder = Path.cwd() / name
    try:
        check_folder(folder)
        write_project(folder, name)
    except OSError as error:
        raise EnvironmentProblemError(
            f"{folder} cannot be written: {error.strerror}.", "Go to another folder."
        ) from error
    click.echo(f"{folder} is a dbt project; its README.md says what is where. Now:\n\n  cd {name}\n  dbt build")


def check_name(name: str) -> None:
    """Check that a project can have a name.

    Raises:
        EntrepotError: it cannot
    """
    if not NAME.fullmatch(name):
        raise EntrepotError(
            f"{name} cannot be a dbt project's name: it has letters, digits and underscores, and does not begin with a digit.",
            f"For example: entrepot init {suggested(name)}",
        )
    if name in TAKEN:
        raise EntrepotError(f"{name} is the name of a project that comes with entrepot or dbt.", "Take another one.")


def suggested(name: str) -> str:
    """Return a name that is like one that cannot be.

    >>> suggested("my-shop"), suggested("7 seas"), suggested("../x"), suggested("-")
    ('my_shop', '_7_seas', 'x', 'my_warehouse')
    """
    words = re.sub(r"\W+", "_", name).strip("_")
    return f"_{words}" if words[:1].isdigit() else words or PLACEHOLDER


def check_folder(folder: Path) -> None:
    """Check that a project can be written into a folder.

    Raises:
        EntrepotError: there is something
    """
    if folder.is_dir() and not any(folder.iterdir()):
        return
    if folder.exists() or folder.is_symlink():
        what = "is not empty" if folder.is_dir() else "is a file"
        raise EntrepotError(f"{folder} {what}; it is left alone.", "Take another name, or another folder.")


def write_project(folder: Path, name: str) -> None:
    """Write the starter (`python/entrepot/starter`) into a folder, with the project's name in place of its own."""
    for source in sorted(path for path in STARTER.rglob("*") if path.is_file()):
        relative = source.relative_to(STARTER)
        target = folder / relative.with_name(RENAMED.get(relative.name, relative.name))
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(source.read_text(encoding="utf-8").replace(PLACEHOLDER, name), encoding="utf-8")
