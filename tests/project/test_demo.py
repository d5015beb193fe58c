"""`make demo` after ctrl-C: it removes and rebuilds what it has built itself, wherever it was stopped, and nothing else."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from entrepot.commands import demo
from entrepot.errors import EntrepotError, EnvironmentProblemError
from entrepot.target import Target, load_target
from tests.conftest import ROOT


@pytest.fixture
def target(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Target:
    """A warehouse that a demo has begun."""
    monkeypatch.setenv("ENTREPOT_WAREHOUSE", str(tmp_path / "warehouse"))
    found = load_target(ROOT, ROOT)
    demo.start_afresh(found)
    for name in ("marts.db", "ops.db", "metastore_db"):
        (found.warehouse / name / "table").mkdir(parents=True)
    return found


def test_a_removal_that_is_interrupted_can_be_repeated(target: Target, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        remove, calls = demo.shutil.rmtree, []

        def interrupted(path: Path) -> None:
            calls.append(path)
            if len(calls) == 2:
                raise KeyboardInterrupt
            remove(path)

        patch.setattr(demo.shutil, "rmtree", interrupted)
        with pytest.raises(KeyboardInterrupt):
            demo.start_afresh(target)
    demo.start_afresh(target)
    assert [path.name for path in target.warehouse.iterdir()] == [demo.MARKER]


def test_a_warehouse_of_somebody_else_is_left_alone(target: Target) -> None:
    (target.warehouse / demo.MARKER).unlink()
    with pytest.raises(EntrepotError, match="it is left alone"):
        demo.start_afresh(target)
    assert (target.warehouse / "marts.db").exists()


def test_a_warehouse_in_use_is_left_alone(target: Target, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo, "PATIENCE", 0.0)
    lock = target.warehouse / "metastore_db" / "dbex.lck"
    lock.touch()
    holder = subprocess.Popen(
        [sys.executable, "-c", f"import fcntl; f = open({str(lock)!r}, 'r+b'); fcntl.lockf(f, fcntl.LOCK_EX); print(flush=True); input()"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
    assert holder.stdout and holder.stdin
    holder.stdout.readline()
    try:
        with pytest.raises(EnvironmentProblemError, match="in use by another process"):
            demo.start_afresh(target)
        assert (target.warehouse / "marts.db").exists()
    finally:
        holder.communicate(b"\n")


@pytest.mark.long
def test_a_demo_can_be_repeated_after_ctrl_c(tmp_path: Path) -> None:
    def start() -> subprocess.Popen[str]:
        return subprocess.Popen(
            [str(Path(sys.executable).with_name("entrepot")), "demo"], cwd=ROOT, start_new_session=True, text=True,
            env=os.environ | {"ENTREPOT_WAREHOUSE": str(tmp_path / "warehouse")},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )  # fmt: skip

    def stop(process: subprocess.Popen[str]) -> None:
        """Do what a terminal does at ctrl-C: the signal goes to everything that belongs to the command."""
        os.killpg(process.pid, signal.SIGINT)
        said, _ = process.communicate(timeout=120)
        assert (process.returncode, "Interrupted." in said, "Traceback" in said) == (130, True, False), said

    for seconds in (4, 15, 30):
        process = start()
        time.sleep(seconds)
        stop(process)
    process = start()
    assert process.stdout
    said = ""
    while "tests in" not in said:
        line = process.stdout.readline()
        assert line, f"the demo ended: {said}"
        said += line
    assert "marts.fct_order_line" in said and "failed" not in said
    stop(process)
