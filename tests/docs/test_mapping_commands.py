"""What docs/mapping.md says that `entrepot mapping` prints is what it prints.

A block whose first line is `$ entrepot mapping …` is run; ENTREPOT_UPDATE_GOLDEN=1 writes the output anew.
"""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from entrepot.cli import main
from tests.conftest import ROOT

PAGE = ROOT / "docs/mapping.md"
BLOCK = re.compile(r"^```\n\$ entrepot (mapping .*)\n((?:.*\n)*?)```\n", re.MULTILINE)
COMMANDS = [found[1] for found in BLOCK.finditer(PAGE.read_text())]


def printed(command: str) -> str:
    """What a command prints in a folder with the repository's seeds, without blanks at line ends; it writes nothing of the repository."""
    arguments = shlex.split(command)
    result = CliRunner().invoke(
        main, ["--project-dir", str(ROOT), "--profiles-dir", str(ROOT), *arguments], env={"COLUMNS": None}
    )
    assert result.exit_code in (0, 1), result.output
    return "".join(f"{line.rstrip()}\n" for line in result.output.splitlines())


@pytest.mark.parametrize("command", COMMANDS)
def test_the_page_shows_what_commands_print(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("seeds", "tests"):
        (tmp_path / name).symlink_to(ROOT / name)
    monkeypatch.chdir(tmp_path)
    found = printed(command)
    text = PAGE.read_text()
    shown = next(block for block in BLOCK.finditer(text) if block[1] == command)
    if os.environ.get("ENTREPOT_UPDATE_GOLDEN") and shown[2] != found:
        PAGE.write_text(text[: shown.start(2)] + found + text[shown.end(2) :])
        return
    assert shown[2] == found


def test_the_page_shows_commands() -> None:
    assert len(COMMANDS) > 3
