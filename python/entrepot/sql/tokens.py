"""SQL text as tokens that know where they stand; what Spark reads as a comment, text or quoted name is told first."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum
from functools import lru_cache
from typing import ClassVar, NamedTuple

from sqlglot import TokenType
from sqlglot.dialects.spark import Spark

from entrepot.errors import EntrepotError


class SqlError(EntrepotError):
    """SQL text that cannot be read or changed, with the line and the place in it."""

    def __init__(self, sql: str, offset: int, problem: str, way_out: str) -> None:
        """Say what is wrong, show the line and mark the place."""
        line, column = position(sql, offset)
        shown = sql.splitlines()[line - 1] if sql else ""
        first = max(0, column - 60)
        lines = f"\n    {shown[first : first + 100]}\n    {' ' * (column - 1 - first)}^\n"
        super().__init__(f"{problem} (line {line}, column {column}):{lines}", way_out)
        self.line, self.column = line, column


class Kind(Enum):
    """What a token is."""

    WORD = "word"
    QUOTED_NAME = "quoted name"
    TEXT = "text"
    NUMBER = "number"
    SYMBOL = "symbol"
    COMMENT = "comment"
    HINT = "hint"


class Token(NamedTuple):
    """One piece of SQL as it is written.

    Attributes:
        kind: what it is
        text: the piece, with its quotes
        start, end: where it stands in the SQL, [start, end)
    """

    kind: Kind
    text: str
    start: int
    end: int

    @property
    def word(self) -> str:
        """The token in lower case where it is a word or a symbol, else empty: a quoted name is never a keyword."""
        return self.text.lower() if self.kind in (Kind.WORD, Kind.SYMBOL) else ""

    @property
    def is_name(self) -> bool:
        """Whether the token can be a part of a name."""
        return self.kind in (Kind.WORD, Kind.QUOTED_NAME)

    @property
    def name(self) -> str:
        """The name that the token stands for, without backticks.

        >>> tokens("`odd``name`")[0].name
        'odd`name'
        """
        return self.text[1:-1].replace("``", "`") if self.kind is Kind.QUOTED_NAME else self.text

    @property
    def content(self) -> str:
        """What a text holds, as written between its quotes."""
        body = self.text.lstrip("rR")
        tag = body[: body.index("$", 1) + 1] if body.startswith("$") else body[0]
        return body[len(tag) : -len(tag)]


@lru_cache(maxsize=64)
def tokens(sql: str) -> tuple[Token, ...]:
    """Return all tokens of SQL in their order, comments and hints too; blanks between them are left out.

    Raises:
        SqlError: a text, quoted name or comment has no end

    >>> [token.text for token in tokens("select 'it''s' -- why" + chr(10) + "from s.2024_t")]
    ['select', "'it''s'", '-- why', 'from', 's', '.', '2024_t']
    """
    apart = list(_told_first(sql))
    pieces: list[str] = []
    last = 0
    for token in apart:
        pieces += [sql[last : token.start], " " * (token.end - token.start)]
        last = token.end
    code = "".join([*pieces, sql[last:]])
    return tuple(sorted([*apart, *_code_tokens(code)], key=lambda token: token.start))


def code_tokens(sql: str) -> tuple[Token, ...]:
    """Return the tokens of SQL without comments and hints."""
    return tuple(token for token in tokens(sql) if token.kind not in (Kind.COMMENT, Kind.HINT))


def code_only(sql: str) -> str:
    """Return SQL without its comments and with its texts emptied, for looking at keywords.

    >>> code_only("select 'group by' /* group by */ as x")
    "select ''   as x"
    """
    pieces: list[str] = []
    last = 0
    for token in tokens(sql):
        if token.kind in (Kind.COMMENT, Kind.HINT, Kind.TEXT):
            pieces += [sql[last : token.start], "''" if token.kind is Kind.TEXT else " "]
            last = token.end
    return "".join([*pieces, sql[last:]])


def words(sql: str) -> frozenset[str]:
    """Return the words of SQL in lower case, keywords and names alike, without quoted names.

    >>> sorted(words("select A.b from `Select` a -- note"))
    ['a', 'b', 'from', 'select']
    """
    return frozenset(token.word for token in tokens(sql) if token.kind is Kind.WORD)


def texts(sql: str) -> tuple[str, ...]:
    """Return what the texts of SQL hold, as written between their quotes.

    >>> texts("select 'a', r'b' -- 'c'")
    ('a', 'b')
    """
    return tuple(token.content for token in tokens(sql) if token.kind is Kind.TEXT)


def position(sql: str, offset: int) -> tuple[int, int]:
    """Return line and column of a place in a text, both from 1."""
    before = sql[:offset].splitlines(keepends=True) or [""]
    if before[-1].endswith(("\n", "\r")):
        before.append("")
    return len(before), len(before[-1]) + 1


class _CodeTokenizer(Spark.Tokenizer):
    """sqlglot's tokenizer for Spark, for code alone: words stay single words and a number stays one token.

    sqlglot 30 differs from Spark's own lexer, so it never sees comments, texts and quoted names (`_told_first` blanks them):
    it takes an open comment for the rest of the SQL, ends `-- …` that a backslash continues, nests `/*+` in comments, drops
    where comments stand, takes `{# … #}` for a comment, and `group by` for one token where only blanks are between.
    """

    KEYWORDS: ClassVar[dict[str, TokenType]] = {
        text: kind
        for text, kind in Spark.Tokenizer.KEYWORDS.items()
        if not re.search(r"[\w\s{}]", text) and not text.startswith("/*")
    }
    COMMANDS: ClassVar[set[TokenType]] = set()
    NUMERIC_LITERALS: ClassVar[dict[str, str]] = {}


_BRACES = str.maketrans("{}", "[]")
_WORDS = re.compile(r"\w+|\S")


def _code_tokens(code: str) -> Iterator[Token]:
    for found in _CodeTokenizer(dialect="spark").tokenize(code.translate(_BRACES)):
        start, end = found.start, found.end + 1
        text = code[start:end]
        if found.token_type is TokenType.NUMBER:
            yield Token(Kind.NUMBER, text, start, end)
        elif found.token_type is not TokenType.VAR or text.isidentifier():
            yield Token(Kind.WORD if text[0].isalnum() or text[0] == "_" else Kind.SYMBOL, text, start, end)
        elif re.match(r"\d*\.\d", text):
            yield Token(Kind.NUMBER, text, start, end)
        else:
            for piece in _WORDS.finditer(text):
                kind = Kind.WORD if re.match(r"\w", piece[0]) else Kind.SYMBOL
                yield Token(kind, piece[0], start + piece.start(), start + piece.end())


# what Spark's lexer tells by its first characters; a prefix `r` belongs to no word before it, and `//` in an address is its own
_BEGINNING = re.compile(r"""--|/\*|(?<!\w)[rR]?['"]|['"`]|\$[A-Za-z]*\$|(?<!\w)[^\W\d_]+://[\w/.?=&#%-]+""")
_ENDINGS = {
    "--": re.compile(r"(?:\\\n|[^\r\n])*"),
    "'": re.compile(r"(?s)(?:[^'\\]|\\.|'')*'"),
    '"': re.compile(r'(?s)(?:[^"\\]|\\.|"")*"'),
    "`": re.compile(r"(?:[^`]|``)*`(?!`)"),
    "r'": re.compile(r"[^']*'"),
    'r"': re.compile(r'[^"]*"'),
}
_BRACKETS = re.compile(r"/\*(?!\+)|\*/")


def _told_first(sql: str) -> Iterator[Token]:
    """Yield comments, hints, texts and quoted names, as Spark's lexer tells them."""
    at = 0
    while beginning := _BEGINNING.search(sql, at):
        start, opening = beginning.start(), beginning[0].lower()
        if opening == "/*":
            kind, end = (Kind.HINT if sql.startswith("/*+", start) else Kind.COMMENT), _end_of_brackets(sql, start)
        elif "://" in opening:
            kind, end = Kind.WORD, beginning.end()
        elif opening.startswith("$"):
            closing = sql.find(beginning[0], beginning.end())
            kind, end = Kind.TEXT, closing + len(beginning[0]) if closing >= 0 else -1
        else:
            kind = {"--": Kind.COMMENT, "`": Kind.QUOTED_NAME}.get(opening, Kind.TEXT)
            ending = _ENDINGS[opening].match(sql, beginning.end())
            end = ending.end() if ending else -1
        if end < 0:
            way_out = f"Close it with {'*/' if opening == '/*' else beginning[0].lstrip('rR')}"
            raise SqlError(sql, start, f"The {kind.value} that begins here has no end", f"{way_out}.")
        yield Token(kind, sql[start:end], start, end)
        at = end


def _end_of_brackets(sql: str, start: int) -> int:
    """Return where a bracketed comment or a hint ends, with all that is nested in it; -1 where it does not."""
    depth, at = 1, start + 2
    while bracket := _BRACKETS.search(sql, at):
        depth += 1 if bracket[0] == "/*" else -1
        at = bracket.end()
        if depth == 0:
            return at
    return -1
