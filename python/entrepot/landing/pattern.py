"""Patterns of paths, as Spark reads them: `*`, `?`, `[a-z]`, `[^a]`, `{a,b}`, and `\\` before a character that means itself."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from entrepot.errors import EntrepotError

WILD = re.compile(r"[*?\[{\\]")
ELSEWHERE = re.compile(r"^(?!file:)[A-Za-z][A-Za-z0-9+.-]*:/")
EXAMPLE = "Examples: data/recorded/*/*.jsonl, or file:/srv/arriving/*.jsonl, or s3a://bucket/arriving/*.jsonl."


@dataclass(frozen=True)
class Pattern:
    """A pattern of paths.

    Attributes:
        text: as somebody wrote it
    """

    text: str

    @property
    def is_local(self) -> bool:
        """Whether it means files of this machine."""
        return ELSEWHERE.match(self.text) is None

    @property
    def path(self) -> str:
        """The pattern as an absolute path; one of another machine as it is.

        >>> Pattern("file:///srv/*.jsonl").path
        '/srv/*.jsonl'
        """
        if not self.is_local:
            return self.text
        return str(Path.cwd() / re.sub(r"^file:/+", "/", self.text))

    @property
    def base(self) -> str:
        """The innermost folder that all paths lie in: what stands before the first wildcard.

        >>> Pattern("/srv/*/a?.jsonl").base, Pattern("/srv/in").base, Pattern("s3a://b/x/{a,b}/*").base
        ('/srv', '/srv/in', 's3a://b/x')
        """
        found = WILD.search(self.path)
        return self.path[: found.start()].rpartition("/")[0] or "/" if found else self.path

    @property
    def regex(self) -> str:
        """A regular expression for the whole path of a file that is meant: one that matches, or one in a folder that does.

        >>> bool(re.search(Pattern("/srv/*/[^_]?.{jsonl,json}").regex, "file:/srv/_x/ab.json"))
        True
        """
        path = re.sub(r"^[A-Za-z][A-Za-z0-9+.-]*:", "", self.path)
        return "^[^/]*:/*" + _regex(path.strip("/")) + "(/[^/]+)?$"

    def parts(self) -> Iterator[list[str]]:
        """Yield the folders and the name of the pattern, for each of its alternatives.

        >>> list(Pattern("/a/{b/c,d}/*").parts())
        [['a', 'b', 'c', '*'], ['a', 'd', '*']]

        Raises:
            EntrepotError: a bracket is not closed
        """
        _regex(self.path)
        for alternative in _alternatives(self.path):
            yield [part for part in alternative.split("/") if part]


def matcher(part: str) -> re.Pattern[str]:
    """Return what matches the names that one part of a path means.

    >>> bool(matcher("[a-c]*.json?").fullmatch("b:1.jsonl"))
    True
    """
    return re.compile(_regex(part), re.DOTALL)


def is_wild(part: str) -> bool:
    """Whether a part of a path means more than one name."""
    return WILD.search(part) is not None


def _alternatives(text: str) -> Iterator[str]:
    """Yield the texts that one with `{a,b}` stands for.

    >>> list(_alternatives("x{a,b{c,d}}y"))
    ['xay', 'xbcy', 'xbdy']
    """
    opened = _find(text, 0, "{")
    if opened < 0:
        yield text
        return
    depth, begin, choices = 0, opened + 1, []
    for place in _places(text, opened):
        depth += {"{": 1, "}": -1}.get(text[place], 0)
        if depth == 0 or (depth == 1 and text[place] == ","):
            choices.append(text[begin:place])
            begin = place + 1
        if depth == 0:
            for choice in choices:
                yield from _alternatives(text[:opened] + choice + text[place + 1 :])
            return


def _places(text: str, start: int) -> Iterator[int]:
    """The places of characters that are not behind a backslash."""
    place = start
    while place < len(text):
        if text[place] == "\\":
            place += 1
        else:
            yield place
        place += 1


def _find(text: str, start: int, character: str) -> int:
    return next((place for place in _places(text, start) if text[place] == character), -1)


def _regex(text: str) -> str:
    """A pattern as a regular expression that Python and Java read alike."""
    parts: list[str] = []
    place, depth = 0, 0
    while place < len(text):
        character = text[place]
        if character == "\\" and place + 1 < len(text):
            place += 1
            parts.append(re.escape(text[place]))
        elif character == "*":
            parts.append("[^/]*")
        elif character == "?":
            parts.append("[^/]")
        elif character == "[":
            closed = text.find("]", place + 2)
            if closed < 0:
                raise _unclosed(text, "[")
            inside = text[place + 1 : closed]
            negated = inside[:1] in ("^", "!")
            parts.append("[" + "^" * negated + inside[negated:].replace("\\", "\\\\").replace("[", "\\[") + "]")
            place = closed
        elif character == "{":
            depth += 1
            parts.append("(?:")
        elif character == "}" and depth:
            depth -= 1
            parts.append(")")
        elif character == "," and depth:
            parts.append("|")
        else:
            parts.append(re.escape(character))
        place += 1
    if depth:
        raise _unclosed(text, "{")
    return "".join(parts)


def _unclosed(text: str, bracket: str) -> EntrepotError:
    return EntrepotError(f"Var landing_path has a {bracket!r} that is not closed: {text}.", EXAMPLE)
