"""A schema registry over the REST API that Confluent's and Apicurio's have in common: subjects, versions, ids, references."""

from __future__ import annotations

import base64
import http.client
import json
import os
import re
import ssl
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import IO, Any
from urllib.parse import quote, urlsplit

from entrepot.errors import EntrepotError, EnvironmentProblemError
from entrepot.registry.definitions import Definition, Reference

USER, PASSWORD, TOKEN = "ENTREPOT_REGISTRY_USER", "ENTREPOT_REGISTRY_PASSWORD", "ENTREPOT_REGISTRY_TOKEN"
ACCEPT = "application/vnd.schemaregistry.v1+json, application/json"
MOST_BYTES = 50_000_000
MANY_BYTES = 1 << 16
NOT_FOUND, UNAUTHORIZED, FORBIDDEN = 404, 401, 403
SURROGATE = re.compile(r"[\ud800-\udfff]")  # half a character
SHOWN = 200  # characters of an answer that is told


class NotThereError(Exception):
    """The registry does not have what was asked for."""


class _Stay(urllib.request.HTTPRedirectHandler):
    """Follow nowhere: the credentials are for this address only."""

    def redirect_request(self, *_arguments: Any, **_named: Any) -> None:
        """Take the answer as it is."""


@dataclass(frozen=True, slots=True)
class Registry:
    """A registry.

    Attributes:
        url: where its API begins, such as `http://registry:8080/apis/ccompat/v7`
        seconds: how long an answer may take
        authorization: the header that says who asks; empty where nobody has said it
    """

    url: str
    seconds: float
    authorization: str = ""

    @classmethod
    def of(cls, url: str, seconds: float, environment: Mapping[str, str] = os.environ) -> Registry:
        """Return the registry at an address, asked with the credentials of the environment.

        Raises:
            EntrepotError: the address is none, or has credentials in it; half of the credentials is said, or both kinds are
        """
        try:
            parts = urlsplit(url)
            is_address, has_credentials = (
                parts.scheme in ("http", "https") and bool(parts.hostname),
                "@" in parts.netloc,
            )
        except ValueError:
            is_address, has_credentials = False, "@" in url
        if has_credentials:
            raise EntrepotError(
                "The registry's address has credentials in it, and addresses are written down in many places.",
                f"Say them in {USER} and {PASSWORD}, and the address without.",
            )
        if not is_address:
            raise EntrepotError(
                f"{url} is no address of a registry.",
                "It begins with http:// or https://, such as http://registry:8080/apis/ccompat/v7.",
            )
        return cls(url.rstrip("/"), seconds, _authorization(environment))

    def subjects(self) -> list[str]:
        """Return the names of all subjects, sorted.

        Raises:
            EnvironmentProblemError: the registry does not answer, or not as one does
        """
        try:
            found = self._get("/subjects", _is_texts)
        except NotThereError:
            raise EnvironmentProblemError(
                f"{self.url} is no registry: it has no /subjects.",
                "Its address ends where /subjects begins; Apicurio's in /apis/ccompat/v7.",
            ) from None
        return sorted(set(found))

    def versions(self, subject: str) -> list[int]:
        """Return the numbers of a subject's versions, lowest first; none where it has been deleted meanwhile."""
        try:
            return sorted(set(self._get(f"/subjects/{quote(subject, safe='')}/versions", _is_numbers)))
        except NotThereError:
            return []

    def definition(self, subject: str, version: int, *, deleted: bool = False) -> Definition:
        """Return a version of a subject.

        Args:
            subject: its name
            version: its number
            deleted: return one that has been deleted, too, as others may still refer to it

        Raises:
            NotThereError: there is none
        """
        path = f"/subjects/{quote(subject, safe='')}/versions/{version}{'?deleted=true' if deleted else ''}"
        told = self._get(path, _is_definition)
        references = tuple(
            Reference(one["name"], one["subject"], one["version"]) for one in told.get("references") or ()
        )
        return Definition(subject, version, told["id"], told.get("schemaType") or "AVRO", told["schema"], references)

    def _get(self, path: str, is_right: Callable[[Any], bool]) -> Any:
        """What the registry answers.

        Raises:
            NotThereError: it says that there is nothing of this name
            EnvironmentProblemError: it does not answer in time, refuses, or answers what no registry does
        """
        deadline = time.monotonic() + self.seconds
        try:
            content = self._content(path, deadline)
        except urllib.error.HTTPError as error:
            with error:
                raise self._refusal(error, _content(error, deadline)) from None
        except (OSError, http.client.HTTPException) as error:
            raise self._silence(error) from None
        try:
            found = json.loads(content)
        except (ValueError, RecursionError):
            found = None
        if not is_right(found):
            raise self._no_registry(path)
        return found

    def _content(self, path: str, deadline: float) -> bytes:
        """The body of an answer; a busy server may drop a connection before it answers, so that is tried once more.

        Raises:
            OSError, HTTPException: there is none, see `_silence`; an HTTPError for another status than 200
        """
        try:
            with self._opened(path) as answer:
                return _content(answer, deadline)
        except (http.client.RemoteDisconnected, ConnectionResetError):
            with self._opened(path) as answer:
                return _content(answer, deadline)

    def _opened(self, path: str) -> IO[bytes]:
        headers = {"Accept": ACCEPT} | ({"Authorization": self.authorization} if self.authorization else {})
        opener = urllib.request.build_opener(_Stay())
        answer: IO[bytes] = opener.open(urllib.request.Request(self.url + path, headers=headers), timeout=self.seconds)
        return answer

    def _refusal(self, error: urllib.error.HTTPError, content: bytes) -> Exception:
        """What a status other than 200 means."""
        if error.code == NOT_FOUND:
            return NotThereError()
        if error.code == UNAUTHORIZED:
            said = "does not take the credentials that were given" if self.authorization else "wants credentials"
            return EnvironmentProblemError(
                f"The registry {self.url} {said} (401).", f"Say them in {USER} and {PASSWORD}, or a token in {TOKEN}."
            )
        if error.code == FORBIDDEN:
            return EnvironmentProblemError(
                f"The registry {self.url} does not let this user read (403).",
                f"Give the right to read subjects, or say another user in {USER} and {PASSWORD}.",
            )
        if 300 <= error.code < 400:
            return EnvironmentProblemError(
                f"{self.url} sends on to {error.headers.get('Location') or 'another address'} ({error.code}), which is not followed: "
                "the credentials are for one address only.",
                "If that is the registry, say its address: --url.",
            )
        return EnvironmentProblemError(
            f"The registry {self.url} answers {error.code}: {_told(content) or error.reason}.",
            "Try again later, or see its log.",
        )

    def _silence(self, error: Exception) -> EnvironmentProblemError:
        """What no answer means."""
        reason = error.reason if isinstance(error, urllib.error.URLError) else error
        if isinstance(reason, TimeoutError):
            return EnvironmentProblemError(
                f"The registry {self.url} has not answered within {self.seconds:g} seconds.",
                "Try again later, or give it more: --timeout.",
            )
        if isinstance(reason, ssl.SSLError):
            return EnvironmentProblemError(
                f"The registry {self.url} cannot be trusted: {reason.reason or reason}.",
                "Name the file of the certificates that sign its own in SSL_CERT_FILE, or correct the address.",
            )
        said = (reason.strerror if isinstance(reason, OSError) else None) or str(reason) or type(reason).__name__
        return EnvironmentProblemError(
            f"The registry {self.url} does not answer: {said}.", "Is it up, and is --url its address?"
        )

    def _no_registry(self, path: str) -> EnvironmentProblemError:
        return EnvironmentProblemError(
            f"{self.url}{path} does not answer as a registry does.",
            "Its address ends where /subjects begins; Apicurio's in /apis/ccompat/v7.",
        )


def _authorization(environment: Mapping[str, str]) -> str:
    user, password, token = (environment.get(name, "") for name in (USER, PASSWORD, TOKEN))
    if token and (user or password):
        raise EntrepotError(f"Both {TOKEN} and {USER} are set.", "Set one of them.")
    if bool(user) != bool(password):
        raise EntrepotError(f"{USER if user else PASSWORD} is set without {PASSWORD if user else USER}.", "Set both.")
    if token:
        return f"Bearer {token}"
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode() if user else ""


def _content(answer: Any, deadline: float) -> bytes:
    """The body of an answer.

    Raises:
        TimeoutError: it has not ended in time
        OSError: it is larger than any schema, or shorter than was announced
    """
    parts, size = [], 0
    while part := answer.read1(MANY_BYTES):
        parts.append(part)
        size += len(part)
        if size > MOST_BYTES:
            raise OSError(f"more than {MOST_BYTES // 1_000_000} MB came")
        if time.monotonic() > deadline:
            raise TimeoutError
    if getattr(answer, "length", None):
        raise OSError("its answer broke off")
    return b"".join(parts)


def _told(content: bytes) -> str:
    """What a registry says of an error."""
    try:
        message = json.loads(content)["message"]
    except (ValueError, RecursionError, KeyError, TypeError):
        return ""
    return " ".join(SURROGATE.sub("?", str(message)).split())[:SHOWN].rstrip(".")


def _is_number(found: Any) -> bool:
    return isinstance(found, int) and not isinstance(found, bool)


def _is_text(found: Any) -> bool:
    r"""Whether an answer is a text, and one that can be written: JSON may have half a character (`\ud800`)."""
    return isinstance(found, str) and not SURROGATE.search(found)


def _is_texts(found: Any) -> bool:
    return isinstance(found, list) and all(map(_is_text, found))


def _is_numbers(found: Any) -> bool:
    return isinstance(found, list) and all(map(_is_number, found))


def _is_definition(found: Any) -> bool:
    """Whether an answer is a version of a subject."""
    if not isinstance(found, dict):
        return False
    references = found.get("references") or []
    return (
        isinstance(found.get("schema"), str)
        and _is_number(found.get("id"))
        and _is_text(found.get("schemaType") or "AVRO")
        and isinstance(references, list)
        and all(
            isinstance(one, dict)
            and _is_text(one.get("name"))
            and _is_text(one.get("subject"))
            and _is_number(one.get("version"))
            for one in references
        )
    )
