"""What a machine does to a job: a full disk, one that is read-only, damaged logs, no memory.

After each the last good snapshot can be read, the job says what is wrong, and the next one ends as if nothing had been.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import yaml

from entrepot.errors import EntrepotError
from tests.faults.chain import Chain, Rows
from tests.faults.changes import first_changes, more_changes
from tests.project.test_generate import PARTS
from tests.support.dbt_case import DbtCase
from tests.upkeep.test_warehouse import Shop

pytestmark = [pytest.mark.slow, pytest.mark.long]
DISK = 400 * 2**20
MakeCase = Callable[..., DbtCase]


@contextmanager
def disk_of_its_own(folder: Path) -> Iterator[None]:
    """A small disk below a folder; tests that need one are skipped where nobody may mount."""
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={DISK}", "tmpfs", folder], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip(f"nothing can be mounted: {mounted.stderr.decode().strip()}")
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


@pytest.fixture(scope="module")
def disk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("disk") / "disk"
    with disk_of_its_own(folder):
        yield folder


@pytest.fixture(scope="module")
def chain(disk: Path, module_case: MakeCase) -> Chain:
    """After one job, with changes that have arrived; kept so."""
    chain = Chain.made(Shop(module_case(parts=PARTS)), disk, pytest.MonkeyPatch.context())
    first_changes(chain.shop)
    chain.build()
    more_changes(chain.shop)
    # what puts it back does not lie on the disk
    chain.kept = disk.with_name("kept")
    chain.keep()
    return chain


@pytest.fixture(scope="module")
def expected(chain: Chain) -> tuple[tuple[int, Rows], Rows]:
    """What is published before the changes, and after them."""
    before = chain.published()
    chain.build()
    return before, chain.published()[1]


def goes_on(chain: Chain, expected: tuple[tuple[int, Rows], Rows]) -> None:
    """Insist that of a failed job nothing or all is published (it may have failed at its very end), and that the next one ends well."""
    assert chain.published() == expected[0] or chain.published()[1] == expected[1]
    chain.build()
    assert chain.published()[1] == expected[1]


@pytest.mark.parametrize("free", [0, 2**16, 2**18, 2**19, 2**20, 3 * 2**19])
def test_a_full_disk(chain: Chain, expected: tuple[tuple[int, Rows], Rows], disk: Path, free: int) -> None:
    chain.put_back()
    ballast = disk / "ballast"
    left = shutil.disk_usage(disk).free - free
    with ballast.open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, left)
    process = chain.start()
    output = process.communicate()[0].decode()
    ballast.unlink()
    if process.returncode == 0:
        # it took no more than that
        assert chain.published()[1] == expected[1]
        return
    assert re.search("[Nn]o space left|os error 28|disk", output), output[-3000:]
    goes_on(chain, expected)


def test_a_read_only_warehouse(chain: Chain, expected: tuple[tuple[int, Rows], Rows], disk: Path) -> None:
    chain.put_back()
    subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
    try:
        said = chain.failed()
        assert "The warehouse cannot be written" in said and "Traceback" not in said, said[-3000:]
        assert chain.published() == expected[0]
    finally:
        subprocess.run(["mount", "-o", "remount,rw", disk], check=True)
    goes_on(chain, expected)


@pytest.mark.parametrize("megabytes", [96, 112, 128])
def test_too_little_memory(chain: Chain, expected: tuple[tuple[int, Rows], Rows], megabytes: int) -> None:
    """Java has not got the room for all the classes that a job needs, and says so in the middle of it."""
    chain.put_back()
    profile = chain.shop.case.path / "profiles.yml"
    whole = profile.read_text()
    settings = yaml.safe_load(whole)
    parameters = settings["entrepot"]["outputs"]["local"]["server_side_parameters"]
    parameters["spark.driver.extraJavaOptions"] = f"-XX:+UseSerialGC -XX:MaxMetaspaceSize={megabytes}m"
    profile.write_text(yaml.safe_dump(settings))
    process = chain.start()
    output = process.communicate()[0].decode()
    profile.write_text(whole)
    if process.returncode:
        assert re.search("OutOfMemory|Metaspace|could not start", output), output[-3000:]
        goes_on(chain, expected)


@pytest.mark.parametrize("damage", ["missing", "cut", "empty", "a commit in between is missing"])
@pytest.mark.parametrize(
    "table", ["marts.fct_booking", "mapped.customer", "landing.change_event", "ops.published_snapshot"]
)
def test_a_damaged_log(chain: Chain, expected: tuple[tuple[int, Rows], Rows], table: str, damage: str) -> None:
    """Whatever is damaged: no wrong rows in silence, others can be read, and what is said tells what to do."""
    chain.put_back()
    layer, _, name = table.partition(".")
    commits = sorted((chain.folder / f"{chain.shop.case.schema}_{layer}.db" / name / "_delta_log").glob("*.json"))
    hurt = commits[0] if damage.startswith("a commit") else commits[-1]
    whole = hurt.read_bytes()
    if damage == "cut":
        hurt.write_bytes(whole[: len(whole) // 2])
    elif damage == "empty":
        hurt.write_bytes(b"")
    else:
        hurt.unlink()
    process = chain.start()
    output = process.communicate()[0].decode()
    print(table, damage, process.returncode, output[-1500:])
    try:
        rows = chain.published()[1]
    except EntrepotError as error:
        print("read:", error)
    else:
        assert rows in (expected[0][1], expected[1]), "wrong rows"
    # what is damaged comes back from a backup
    hurt.write_bytes(whole)
