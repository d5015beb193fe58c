"""A registry that is down, slow, refuses, sends on or answers garbage: a sentence that says how to go on, and nothing half-written."""

from __future__ import annotations

import base64
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from entrepot.mapping import writing
from entrepot.mapping.writing import replace_all
from tests.registry.projects import field, files, project_in, pull, record, refused, said

Answer = Callable[[BaseHTTPRequestHandler], None]
ROW = record("shop.Item", field("id", "int"))
VERSION = {"subject": "shop.item-value", "version": 1, "id": 7, "schema": ROW}
GOOD = {
    "/subjects": ["shop.item-value"],
    "/subjects/shop.item-value/versions": [1],
    "/subjects/shop.item-value/versions/1": VERSION,
}


class Server(ThreadingHTTPServer):
    """A server whose clients may hang up."""

    daemon_threads = True

    def handle_error(self, *_arguments: Any) -> None:
        """Say nothing."""


class Broken:
    """A server whose answers are set by path; `asked` are the headers of what it was asked."""

    def __init__(self) -> None:
        self.answers: dict[str, Answer] = {path: as_json(content) for path, content in GOOD.items()}
        self.asked: list[tuple[str, str | None]] = []
        broken = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                broken.asked.append((self.path, self.headers.get("Authorization")))
                broken.answers.get(self.path.partition("?")[0], status(404))(self)

            def log_message(self, *_arguments: Any) -> None:
                """Say nothing."""

        self.server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()


def as_json(content: Any) -> Answer:
    return text(json.dumps(content).encode())


def text(body: bytes, code: int = 200, **headers: str) -> Answer:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(code)
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    return answer


def status(code: int, body: bytes = b"{}", **headers: str) -> Answer:
    return text(body, code, **headers)


def trickling(handler: BaseHTTPRequestHandler) -> None:
    """A body that never ends, a byte now and then."""
    handler.send_response(200)
    handler.end_headers()
    for _ in range(100):
        handler.wfile.write(b" ")
        handler.wfile.flush()
        time.sleep(0.05)


def hanging_up(handler: BaseHTTPRequestHandler) -> None:
    handler.connection.shutdown(socket.SHUT_RDWR)


def breaking_off(handler: BaseHTTPRequestHandler) -> None:
    """Less than was announced."""
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b'["shop')


@pytest.fixture
def broken() -> Iterator[Broken]:
    found = Broken()
    yield found
    found.server.shutdown()
    found.server.server_close()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return project_in(tmp_path)


LIST, LAST = "/subjects", "/subjects/shop.item-value/versions/1"
FAULTS: list[tuple[str, Answer, str]] = [
    (LIST, status(401), "wants credentials (401). Say them in ENTREPOT_REGISTRY_USER and ENTREPOT_REGISTRY_PASSWORD"),
    (LIST, status(403), "does not let this user read (403). Give the right to read subjects"),
    (LIST, status(302, Location="http://elsewhere.example/subjects"), "sends on to http://elsewhere.example/subjects (302), which is not followed"),
    (LIST, status(404), "is no registry: it has no /subjects. Its address ends where /subjects begins"),
    (LIST, status(500, b'{"message": "out of order."}'), "answers 500: out of order. Try again later, or see its log."),
    (LIST, status(503, b"<html>"), "answers 503: Service Unavailable."),
    (LIST, text(b"<html>Log in</html>"), "does not answer as a registry does"),
    (LIST, as_json({"subjects": []}), "does not answer as a registry does"),
    (LIST, as_json([1]), "does not answer as a registry does"),
    (LIST, text(b'["\\ud800-value"]'), "/subjects does not answer as a registry does"),
    (LIST, status(500, b'{"message": "half \\ud800"}'), "answers 500: half ?."),
    (LIST, text(b"[" * 5_000), "does not answer as a registry does"),
    (LIST, trickling, "has not answered within 0.5 seconds. Try again later, or give it more: --timeout."),
    (LIST, hanging_up, "does not answer: Remote end closed connection without response."),
    (LIST, breaking_off, "does not answer: its answer broke off."),
    ("/subjects/shop.item-value/versions", as_json(["1"]), "does not answer as a registry does"),
    (LAST, as_json({"id": "7", "schema": ROW}), "does not answer as a registry does"),
    (LAST, as_json({"id": 7}), "does not answer as a registry does"),
    (LAST, as_json(VERSION | {"references": [{"name": "x"}]}), "does not answer as a registry does"),
    (LAST, as_json(VERSION | {"schema": "{"}), "shop.item-value version 1: it is no Avro schema."),
    (LAST, as_json(VERSION | {"schema": '{"type": "record", "name": "x"}'}), "the record x has no fields with names and types."),
    (LAST, as_json(VERSION | {"schema": record("x", field("a", "b.C"))}), "it names a type b.C that neither it nor what it refers to defines."),
    (LAST, as_json(VERSION | {"references": [{"name": "x", "subject": "\ud800", "version": 1}]}), "does not answer as a registry does"),
    (LAST, as_json(VERSION | {"schemaType": "\ud800"}), "does not answer as a registry does"),
    (LAST, as_json(VERSION | {"schema": r'{"type": "record", "name": "\ud83c"}'}), "has no fields with names and types."),
    (LAST, as_json(VERSION | {"schema": record("x", field("id", "int"), field("id", "int"))}), "the record x has the field id more than once."),
    (LAST, as_json(VERSION | {"schema": record("x", field("null", "int"))}), "dbt reads its field 'null' as nothing in a seed."),
    (LAST, as_json(VERSION | {"schema": record("x", field("a\ud83c", "int"))}), "holds half a character."),
    (LAST, as_json(VERSION | {"schemaType": "THRIFT"}), "it is of type THRIFT, and only Avro and JSON Schema are read."),
    (
        LAST, as_json(VERSION | {"references": [{"name": "b.C", "subject": "gone", "version": 4}]}),
        "it refers to gone version 4, which the registry does not have.",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("path", "answer", "sentence"), FAULTS, ids=[sentence[:40] for _, _, sentence in FAULTS])
def test_a_fault_is_a_sentence_and_nothing_is_written(
    broken: Broken, project: Path, path: str, answer: Answer, sentence: str
) -> None:
    broken.answers[path] = answer
    assert sentence in refused(pull(project, broken.url, "--timeout", "0.5", "--yes"))
    assert not files(project)


def test_a_registry_that_is_down_or_is_none_is_told(project: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
    assert f"{url} does not answer: Connection refused. Is it up" in refused(pull(project, url))
    assert "does not answer: " in refused(pull(project, "http://no-such-host.invalid"))
    assert "ftp://x is no address of a registry." in refused(pull(project, "ftp://x"))
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        assert "has not answered within 0.3 seconds" in refused(pull(project, url, "--timeout", "0.3"))
        assert "https" in refused(pull(project, url.replace("http:", "https:"), "--timeout", "0.3"))


def test_credentials_come_from_the_environment_and_are_never_told(broken: Broken, project: Path) -> None:
    secret = {"ENTREPOT_REGISTRY_USER": "anna", "ENTREPOT_REGISTRY_PASSWORD": "s3cret"}
    said(pull(project, broken.url, "--yes", **secret))
    expected = "Basic " + base64.b64encode(b"anna:s3cret").decode()
    assert {header for _, header in broken.asked} == {expected} and len(broken.asked) == 3
    assert not any(b"s3cret" in content or b"anna" in content for content in files(project).values())
    said(pull(project, broken.url, ENTREPOT_REGISTRY_TOKEN="t0ken"))
    assert broken.asked[-1][1] == "Bearer t0ken"
    broken.answers[LIST] = status(401)
    shown = refused(pull(project, broken.url, **secret))
    assert "does not take the credentials that were given (401)" in shown and "s3cret" not in shown
    assert "ENTREPOT_REGISTRY_USER is set without ENTREPOT_REGISTRY_PASSWORD." in refused(
        pull(project, broken.url, ENTREPOT_REGISTRY_USER="anna")
    )
    both = refused(pull(project, broken.url, ENTREPOT_REGISTRY_TOKEN="t0ken", **secret))
    assert "Both ENTREPOT_REGISTRY_TOKEN and ENTREPOT_REGISTRY_USER are set." in both
    shown = refused(pull(project, broken.url.replace("//", "//anna:s3cret@")))
    assert "The registry's address has credentials in it" in shown and "s3cret" not in shown


def test_credentials_do_not_follow_to_another_address(broken: Broken, project: Path) -> None:
    other = Broken()
    broken.answers[LIST] = status(307, Location=f"{other.url}/subjects")
    refused(pull(project, broken.url, ENTREPOT_REGISTRY_TOKEN="t0ken"))
    assert broken.asked and not other.asked
    other.server.shutdown()
    other.server.server_close()


def test_a_connection_that_is_dropped_once_is_asked_again(broken: Broken, project: Path) -> None:
    def once(handler: BaseHTTPRequestHandler) -> None:
        broken.answers[LIST] = as_json(GOOD[LIST])
        hanging_up(handler)

    broken.answers[LIST] = once
    assert "Written." in said(pull(project, broken.url, "--yes"))


def test_another_registry_is_refused(broken: Broken, project: Path) -> None:
    said(pull(project, broken.url, "--yes"))
    written = files(project)
    broken.answers[LAST] = as_json(VERSION | {"schema": record("shop.Item", field("name", "string"))})
    assert "it is another registry, or has been made anew." in refused(pull(project, broken.url, "--yes"))
    assert files(project) == written


def test_files_that_somebody_has_changed_are_told(broken: Broken, project: Path) -> None:
    said(pull(project, broken.url, "--yes"))
    (project / "registry/schemas/7.avsc").unlink()
    shown = refused(pull(project, broken.url, "--yes"))
    assert (
        "registry/versions.csv is not as `entrepot registry pull` writes it" in shown
        and "7.avsc cannot be read" in shown
    )
    (project / "registry/versions.csv").write_text("subject\nx\n")
    assert "Take it back from git, or remove it and pull again." in refused(pull(project, broken.url, "--yes"))


def test_schemas_whose_list_is_lost_are_not_taken_away(broken: Broken, project: Path) -> None:
    other = {"subject": "shop.shelf-value", "version": 1, "id": 8, "schema": record("shop.Shelf", field("row", "int"))}
    broken.answers[LIST] = as_json(["shop.item-value", "shop.shelf-value"])
    broken.answers["/subjects/shop.shelf-value/versions"] = as_json([1])
    broken.answers["/subjects/shop.shelf-value/versions/1"] = as_json(other)
    said(pull(project, broken.url, "--yes"))
    versions, whole = project / "registry/versions.csv", files(project)
    lines = versions.read_text().splitlines(keepends=True)
    for text_left in (None, lines[0], "".join(lines[:2])):
        versions.unlink() if text_left is None else versions.write_text(text_left)
        left = files(project)
        shown = refused(pull(project, broken.url, "shop.item-value", "--yes"))
        assert "registry/schemas has 8.avsc, which this pull would remove: versions.csv" in shown
        assert "registry/versions.csv back from git" in shown and "Nothing has been written." in shown
        assert files(project) == left
        said(pull(project, broken.url, "--yes"))
        assert files(project) == whole, "all of it is wanted again, as after a pull that did not end"
    for header in ("", "subject,version\n"):
        versions.write_text(header)
        left = files(project)
        shown = refused(pull(project, broken.url, "shop.item-value", "--yes"))
        assert "versions.csv is not as `entrepot registry pull` writes it" in shown and files(project) == left


def test_a_source_schema_without_a_name_that_a_seed_can_have_is_told(broken: Broken, project: Path) -> None:
    subjects = ["-value", "null-value", "shop.item-value"]
    broken.answers[LIST] = as_json(subjects)
    for number, subject in enumerate(subjects[:2]):
        broken.answers[f"/subjects/{subject}/versions"] = as_json([1])
        broken.answers[f"/subjects/{subject}/versions/1"] = as_json(VERSION | {"subject": subject, "id": number})
    shown = refused(pull(project, broken.url, "--yes"))
    assert (
        "2 schemas of the registry cannot be read: -value version 1: dbt reads the name of its source schema, '', as nothing"
        in shown
    )
    assert "null-value version 1: dbt reads the name of its source schema, 'null', as nothing in a seed." in shown
    assert "leave them out: --exclude '-value' --exclude 'null-value'. Nothing has been written." in shown
    assert not files(project)
    said(pull(project, broken.url, "--yes", "--exclude", "-value", "--exclude", "null-value"))
    assert files(project)


def test_seeds_that_contradict_the_registry_are_refused_before_anything_is_written(
    broken: Broken, project: Path
) -> None:
    (project / "seeds/mapping").mkdir(parents=True)
    block = "schema,version,entity,entity_version,attribute,entity_attribute\nshop.item,1,item,1,number,number\n"
    (project / "seeds/mapping/unique_block.csv").write_text(block)
    assert "contradict each other" in refused(pull(project, broken.url, "--yes"))
    assert list(files(project)) == ["seeds/mapping/unique_block.csv"]


def test_all_files_are_written_or_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second, gone, new = (tmp_path / name for name in ("first", "second", "gone", "new"))
    for path in (first, second, gone):
        path.write_text(path.name)
    second.chmod(0o640)
    wanted = {first: b"1", new: b"2", gone: None, second: b"3"}
    real = Path.replace

    def full(path: Path, target: Path) -> Path:
        if Path(target) == second:
            raise OSError(28, "No space left on device", str(target))
        return real(path, target)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", full)
        with pytest.raises(OSError, match="No space left"):
            replace_all(wanted)
    assert sorted((path.name, path.read_text()) for path in tmp_path.iterdir()) == [
        (name, name) for name in ("first", "gone", "second")
    ]
    with monkeypatch.context() as patched:
        patched.setattr(writing.os, "fsync", lambda _: (_ for _ in ()).throw(OSError(28, "No space left on device")))
        with pytest.raises(OSError, match="No space left"):
            replace_all(wanted)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["first", "gone", "second"]
    replace_all(wanted)
    assert sorted((path.name, path.read_text()) for path in tmp_path.iterdir()) == [
        ("first", "1"),
        ("new", "2"),
        ("second", "3"),
    ]
    assert second.stat().st_mode & 0o777 == 0o640
