"""A question from one process to the other and back; notes that are stale or not ours; no Spark."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from entrepot.answers import Printed, Screen
from entrepot.errors import EnvironmentProblemError, QueryError
from entrepot.running import client, door
from entrepot.running.client import ask_running
from entrepot.running.door import Answering, Door, QueryFigures
from entrepot.running.note import note_file, own_version, read_note, the_only_one, write_note
from entrepot.running.question import Question
from entrepot.target import Place

SCREEN = Screen(80)
ASKED = Question("select 'ü'", "csv", timedelta(seconds=1.5), None, True, timedelta(minutes=1), "month-end")


def echo(question: Question, screen: Screen) -> Printed:
    return Printed(f"{question}{screen}", "from there\n")


@contextmanager
def running(place: Place, answering: Answering = echo, progress: Callable[[], str] = str) -> Iterator[QueryFigures]:
    figures = QueryFigures()
    with the_only_one(place) as path, Door(path, answering, figures, progress) as listening:
        threading.Thread(target=listening.serve_forever, args=(0.01,), daemon=True).start()
        write_note(place, path)
        yield figures
        listening.shutdown()


@pytest.fixture
def place(tmp_path: Path) -> Place:
    # longer than a path of a socket may be
    return Place("default", tmp_path / ("long" * 30) / "warehouse")


def test_a_question_arrives_as_it_was_asked_and_so_does_the_answer(place: Place) -> None:
    as_of = Question("select 1", as_of=datetime(2026, 1, 2, 3, 4, 5))
    with running(place) as figures:
        for asked in (ASKED, as_of):
            assert ask_running(place, asked, SCREEN) == echo(asked, SCREEN)
        assert ask_running(Place("other", place.warehouse), ASKED, SCREEN) is None, "another schema is not served"
    assert figures.count == {"answered": 2, "refused": 0, "failed": 0}
    assert ask_running(place, ASKED, SCREEN) is None and not note_file(place).exists()


@pytest.mark.parametrize(
    "error", [QueryError("It is none.", "Ask again."), EnvironmentProblemError("No disk.", "Buy one.")]
)
def test_a_refusal_has_the_same_words_and_exit_code(place: Place, error: QueryError) -> None:
    def refuse(question: Question, screen: Screen) -> Printed:
        raise error

    with running(place, refuse) as figures, pytest.raises(type(error).__mro__[1]) as refusal:
        ask_running(place, ASKED, SCREEN)
    assert (refusal.value.message, refusal.value.exit_code) == (error.message, error.exit_code)
    assert figures.count["refused"] == 1


def test_what_nobody_foresaw_is_left_to_who_asks(place: Place) -> None:
    def fail(question: Question, screen: Screen) -> Printed:
        raise RuntimeError("of all things")

    with running(place, fail) as figures:
        assert ask_running(place, ASKED, SCREEN) is None
    assert figures.count["failed"] == 1


def test_a_killed_process_is_not_waited_for_and_its_litter_goes(place: Place) -> None:
    with the_only_one(place) as path:
        with socket.socket(socket.AF_UNIX) as gone:
            gone.bind(str(path))
        write_note(place, path)
        left, folder = note_file(place).read_text(), path.parent
    folder.mkdir()
    with socket.socket(socket.AF_UNIX) as gone:
        gone.bind(str(folder / path.name))
    note_file(place).write_text(left)
    assert ask_running(place, ASKED, SCREEN) is None
    with running(place):
        assert not folder.exists()
        assert ask_running(place, ASKED, SCREEN) == echo(ASKED, SCREEN)


def test_a_process_that_hangs_is_not_waited_for(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "PATIENCE", 0.1)
    with the_only_one(place) as path, socket.socket(socket.AF_UNIX) as deaf:
        deaf.bind(str(path))
        deaf.listen()
        write_note(place, path)
        assert ask_running(place, ASKED, SCREEN) is None


@pytest.mark.parametrize("asked", [ASKED, Question("select 1")], ids=["bound", "plain"])
def test_a_process_that_is_stopped_while_it_answers_is_not_waited_for(
    place: Place, monkeypatch: pytest.MonkeyPatch, asked: Question
) -> None:
    monkeypatch.setattr(client, "SILENCE", 0.3)
    begun, go_on = threading.Event(), threading.Event()

    def slow(question: Question, screen: Screen) -> Printed:
        begun.set()
        assert go_on.wait(20)
        return echo(question, screen)

    with running(place, slow):
        assert ask_running(place, asked, SCREEN) is None and begun.is_set()
        monkeypatch.setattr(client, "SILENCE", 5.0)
        monkeypatch.setattr(door, "TELL", 0.01)
        threading.Timer(6.0, go_on.set).start()
        assert ask_running(place, asked, SCREEN) == echo(asked, SCREEN), "who says that it is at work is waited for"


def test_another_version_is_not_asked(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    with running(place):
        monkeypatch.setattr(client, "own_version", lambda: "0.0.1")
        assert ask_running(place, ASKED, SCREEN) is None


def test_only_what_this_user_has_written_is_trusted(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    with running(place):
        assert note_file(place).stat().st_mode & 0o777 == 0o600
        note = read_note(place)
        assert note is not None and Path(note.socket).parent.stat().st_mode & 0o777 == 0o700
        monkeypatch.setattr("entrepot.running.note.os.geteuid", lambda: 12345)
        assert read_note(place) is None
    for damaged in ("", "[]", "{}", json.dumps({"process": 1, "socket": "/nowhere", "version": own_version()})):
        note_file(place).write_text(damaged)
        assert ask_running(place, ASKED, SCREEN) is None


def test_there_is_one_for_a_warehouse(place: Place) -> None:
    with (
        running(place),
        pytest.raises(EnvironmentProblemError, match="Another `entrepot run`, process"),
        the_only_one(place),
    ):
        pass
    with running(Place("default", place.warehouse)), running(Place("other", place.warehouse)):
        pass


def test_who_waits_for_a_job_is_told_where_it_is(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(door, "TELL", 0.01)
    places, told, go_on = iter(["", "1 of 9, sale", "1 of 9, sale", "2 of 9, tax"]), [], threading.Event()

    def where() -> str:
        found = next(places, "")
        if not found and told:
            go_on.set()
        return found

    def slow(question: Question, screen: Screen) -> Printed:
        assert go_on.wait(20) or not question.is_bound
        return echo(question, screen)

    with running(place, slow, where):
        assert ask_running(place, ASKED, SCREEN, told.append) == echo(ASKED, SCREEN)
        assert told == ["1 of 9, sale", "2 of 9, tax"]
        bound = Question("select 1 CURRENCY  bound 10 min")
        assert bound.is_bound and ask_running(place, bound, SCREEN) == echo(bound, SCREEN)
        plain = Question("select 1")
        assert not plain.is_bound and ask_running(place, plain, SCREEN) == echo(plain, SCREEN)
