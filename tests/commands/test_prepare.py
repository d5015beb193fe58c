"""`entrepot prepare`: Spark reads the archive where there is one, and nobody minds one that does not fit."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from entrepot.cli import main
from entrepot.java import find_java
from entrepot.spark.archive import JAVA_OPTIONS, SILENT, archive_file, keep_archive, with_archive, writing_archive


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "a cache"))
    return tmp_path / "a cache"


def test_settings_name_the_archive_that_is_there(cache: Path) -> None:
    settings = {JAVA_OPTIONS: "-Xms1g", "a": "b"}
    assert with_archive(settings) == settings, "there is none"
    file = archive_file()
    assert cache in file.parents
    file.parent.mkdir(parents=True)
    file.touch()
    assert with_archive(settings) == settings | {JAVA_OPTIONS: f'-Xms1g -XX:SharedArchiveFile="{file}" {SILENT}'}
    assert with_archive({})[JAVA_OPTIONS].startswith("-XX:SharedArchiveFile")
    for own in ("-XX:SharedArchiveFile=mine.jsa", "-Xshare:off", writing_archive({}, file)[JAVA_OPTIONS]):
        assert with_archive({JAVA_OPTIONS: own}) == {JAVA_OPTIONS: own}


@pytest.mark.parametrize("content", [b"", b"no archive", bytes(100_000)])
def test_java_is_silent_about_an_archive_that_does_not_fit(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "classes.jsa"
    file.write_bytes(content)
    command = [str(find_java()), f"-XX:SharedArchiveFile={file}", *SILENT.split(), "-version"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")
    assert "version" in done.stderr and "rchive" not in done.stderr


def test_a_cache_that_cannot_be_written(cache: Path) -> None:
    cache.write_text("a file")
    result = CliRunner().invoke(main, ["prepare"])
    assert result.exit_code == 3
    assert "cannot be written: Not a directory" in result.output and "Set XDG_CACHE_HOME" in result.output


def test_archives_of_environments_that_are_gone_are_removed(cache: Path, tmp_path: Path) -> None:
    environment, written = tmp_path / "env", tmp_path / "written"
    environment.mkdir()
    folders = [cache / "entrepot" / name for name in ("gone", "alive", "other")]
    for folder, whose in zip(folders, [tmp_path / "nowhere", environment, None], strict=True):
        folder.mkdir(parents=True)
        if whose:
            (folder / "pyspark").symlink_to(whose)
    for content in (b"first", b"second"):
        written.write_bytes(content)
        assert keep_archive(written).read_bytes() == content
        assert set((cache / "entrepot").iterdir()) == {*folders[1:], archive_file().parent}


START = """
import sys
from pathlib import Path
from entrepot.spark.session import started
started({"spark.driver.extraJavaOptions": f"-Xlog:class+load:file={sys.argv[1]}"}, Path(sys.argv[2]))
"""


@pytest.mark.long
def test_spark_reads_what_prepare_has_written(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DBT_PROJECT_DIR", str(tmp_path / "of another project"))
    result = CliRunner().invoke(main, ["prepare"])
    assert result.exit_code == 0, result.output
    assert list((cache / "entrepot").iterdir()) == [archive_file().parent], "nothing else is left"
    assert cache in archive_file().parents and str(archive_file()) in result.output
    log = tmp_path / "classes.log"
    subprocess.run([sys.executable, "-c", START, str(log), str(tmp_path / "spark.log")], check=True)
    loaded = log.read_text().splitlines()
    archived = [line for line in loaded if "shared objects file (top)" in line]
    assert len(archived) > 1000, len(loaded)
