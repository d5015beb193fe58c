"""`entrepot prepare`: archive the classes that Spark loads, so that it starts sooner."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import click
import yaml

from entrepot.commands.init import PLACEHOLDER, write_project
from entrepot.errors import EnvironmentProblemError
from entrepot.java import java_problem, prepare_environment
from entrepot.spark.archive import cache_folder, keep_archive, writing_archive


@click.command()
def prepare() -> None:
    """Let Spark start in half the time on this machine.

    Builds a small project in a temporary folder and archives the classes that Spark has loaded for it: a minute or two, and 230 MB in the
    user's cache. Every later command of dbt and entrepot in this virtual environment with Spark in its process reads the archive. Repeat it
    after an upgrade of Java or PySpark; delete the file to go back. Archives of environments that are gone are removed.
    """
    prepare_environment()
    if problem := java_problem():
        raise EnvironmentProblemError(problem, "")
    cache = cache_folder()
    try:
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache) as folder:
            written = Path(folder, "classes.jsa")
            output = build_and_archive(Path(folder, PLACEHOLDER), written)
            if not written.is_file():
                raise EnvironmentProblemError(
                    "This Java has written no archive; a cut-down runtime may be unable to. Everything works without it.",
                    f"The last that was said: {output[-500:]}",
                )
            size = written.stat().st_size
            target = keep_archive(written)
    except OSError as error:
        raise EnvironmentProblemError(
            f"{cache} cannot be written: {error.strerror}.", "Set XDG_CACHE_HOME to another folder."
        ) from error
    click.echo(f"{target}: {size / 2**20:.0f} MB. Spark reads it from now on.")


def build_and_archive(project: Path, file: Path) -> str:
    """Build the starter project in a process whose JVM writes an archive when it ends; return what was printed.

    Raises:
        EnvironmentProblemError: the build failed
    """
    write_project(project, project.name)
    profile = project / "profiles.yml"
    told = yaml.safe_load(profile.read_text())
    local = told[project.name]["outputs"]["local"]
    local["server_side_parameters"] = writing_archive(local["server_side_parameters"], file)
    profile.write_text(yaml.safe_dump(told, width=10_000))
    # variables such as DBT_PROJECT_DIR mean another project
    own = {name: value for name, value in os.environ.items() if not name.startswith("DBT_")}
    # the JVM goes on when dbt has ended, until it has written the archive: it holds this pipe for so long
    done = subprocess.run(
        [str(Path(sys.executable).with_name("dbt")), "build", "--no-use-colors", "--profiles-dir", "."],
        cwd=project,
        env=own | {"ENTREPOT_WAREHOUSE": str(project / "warehouse")},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise EnvironmentProblemError("The small project did not build.", done.stdout[-2000:])
    return done.stdout
