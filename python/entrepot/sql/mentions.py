"""Where a query names tables, whether an alias follows, and which columns it names by their table's full name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import takewhile

from entrepot.sql.names import CLAUSE_WORDS, TableName
from entrepot.sql.tokens import Kind, SqlError, Token, code_tokens

_SET_OPERATORS = frozenset(("union", "except", "minus", "setminus", "intersect"))
_BEFORE_A_QUERY = _SET_OPERATORS | {"all", "distinct", "(", "=>", ";"}
_BEFORE_A_QUERY_IN_PARENTHESES = CLAUSE_WORDS | {
    "all", "distinct", "as", "from", "join", "in", "exists", "on", "and", "or", "not", "table", "any", "some",
}  # fmt: skip
_ENDS_OF_FROM = frozenset(("where", "having", "qualify", "limit", "offset"))
_WITH_BY = frozenset(("group", "order", "sort", "cluster", "distribute"))
_VERSIONS = frozenset(("version", "timestamp", "system_version", "system_time"))


@dataclass(frozen=True, slots=True)
class Mention:
    """One place where a query reads a table.

    Attributes:
        table: the table
        start, end: where its name stands in the SQL, [start, end)
        alias: the alias that the query gives it; None where it gives none
        alias_at: where an alias stands or belongs: behind a sample, in front of all else
        is_versioned: whether the query itself says which version it reads
        query_at: where `TABLE name` begins, which is a query or an argument of its own; None for all others
        is_argument: whether that is the argument of a function
    """

    table: TableName
    start: int
    end: int
    alias: str | None
    alias_at: int
    is_versioned: bool
    query_at: int | None = None
    is_argument: bool = False


@dataclass(frozen=True, slots=True)
class FullColumn:
    """One place where a query names a column, or all of them, by its table's schema and name.

    Attributes:
        table: the table
        start: where the whole name begins
        identifier_at: where the table's own name begins in it
    """

    table: TableName
    start: int
    identifier_at: int


@dataclass(frozen=True, slots=True)
class NamesOfQuery:
    """All that a query names by the names of tables, in the order of the text."""

    mentions: tuple[Mention, ...]
    columns: tuple[FullColumn, ...]


def mentions(sql: str, table: TableName | None = None) -> tuple[Mention, ...]:
    """Return the places where a query reads tables, or one of them, in the order of the text.

    Names of the query's own WITH clauses, of columns and of functions are none.

    Raises:
        SqlError: a text, quoted name or comment has no end

    >>> [mention.table.plain for mention in mentions("with a as (from s.b) select s.c.x from a join S.C -- why?")]
    ['s.b', 'S.C']
    """
    found = names_of_query(sql).mentions
    return found if table is None else tuple(one for one in found if one.table == table)


def numbered_mentions(sql: str, tables: Sequence[TableName]) -> tuple[TableName, ...]:
    """Return the table of each mention of some tables, by the mentions' numbers: by the order of the tables and then by place.

    Raises:
        SqlError: a text, quoted name or comment has no end

    >>> [table.plain for table in numbered_mentions("select * from s.a, s.b, s.a as c", [TableName("s", "b"), TableName("s", "a")])]
    ['s.b', 's.a', 's.a']
    """
    found = names_of_query(sql).mentions
    return tuple(table for table in tables for mention in found if mention.table == table)


def tables_of_query(sql: str) -> tuple[TableName, ...]:
    """Return the tables that a query reads, each once, in the order of the text.

    Raises:
        SqlError: a text, quoted name or comment has no end

    >>> [table.plain for table in tables_of_query("with a as (select * from marts.x) select * from a join y join marts.X")]
    ['marts.x', 'y']
    """
    return tuple(dict.fromkeys(mention.table for mention in mentions(sql)))


def options_of(sql: str, mention: Mention) -> dict[str, str]:
    """Return the options that a query reads a table with, {name in lower case: value}.

    >>> sql = "select * from text.`/landing` with (lineSep = ',', recursiveFileLookup 'true') as line"
    >>> options_of(sql, mentions(sql)[0])
    {'linesep': ',', 'recursivefilelookup': 'true'}
    """
    code = [token for token in code_tokens(sql) if token.start >= mention.end]
    if [token.word for token in code[:2]] != ["with", "("]:
        return {}
    inner = list(takewhile(lambda token: token.word != ")", code[2:]))
    said = [token.content if token.kind is Kind.TEXT else token.name for token in inner if token.word not in ("=", ",")]
    return {name.lower(): value for name, value in zip(said[::2], said[1::2], strict=False)}


@lru_cache(maxsize=1024)
def names_of_query(sql: str) -> NamesOfQuery:
    """Return all that a query names by the names of tables.

    Raises:
        SqlError: a text, quoted name or comment has no end; or a table is named by an expression
    """
    walk = _Walk(code_tokens(sql))
    walk.run()
    if walk.unnamed is not None:
        raise SqlError(
            sql,
            walk.unnamed.start,
            "A table is named by identifier(…), so nobody knows which",
            "Write its name, or ref() or source().",
        )
    return NamesOfQuery(tuple(walk.mentions), tuple(walk.columns))


@dataclass(slots=True)
class _Frame:
    """What is known of the text between two parentheses, or of the whole.

    Attributes:
        expects: whether a table or a query may come next
        in_from: whether a comma is followed by one more table
        in_values: whether a comma is followed by one more row of an inline table
        has_select: whether a FROM belongs to a SELECT
        names_next: whether the next name is one of a WITH clause
        named: the name of the WITH clause whose query comes next
        own_names: the names of the WITH clauses that can be read here
        names_when_closed: the name that can be read outside once this frame is closed
    """

    expects: bool = False
    in_from: bool = False
    in_values: bool = False
    has_select: bool = False
    names_next: bool = False
    named: str = ""
    own_names: set[str] = field(default_factory=set)
    names_when_closed: str = ""


class _Walk:
    """One pass over a query's tokens that follows its clauses by their words; no syntax tree."""

    def __init__(self, code: Sequence[Token]) -> None:
        self.code = code
        self.frames = [_Frame()]
        self.mentions: list[Mention] = []
        self.columns: list[FullColumn] = []
        # a table's name that is worked out when the query runs
        self.unnamed: Token | None = None

    @property
    def frame(self) -> _Frame:
        return self.frames[-1]

    def word(self, index: int) -> str:
        return self.code[index].word if 0 <= index < len(self.code) else ""

    def is_name(self, index: int) -> bool:
        return index < len(self.code) and self.code[index].is_name

    def run(self) -> None:
        """Walk over all tokens."""
        index = 0
        while index < len(self.code):
            if not self.code[index].is_name or self.word(index - 1) == ".":
                self.symbol(index)
                index += 1
                continue
            end = self.end_of_name(index)
            if end > index + 1 or not self.keyword(index):
                self.name(index, end)
            index = end

    def end_of_name(self, start: int) -> int:
        """Return the index behind a name of one part or more."""
        end = start + 1
        while self.word(end) == "." and self.is_name(end + 1):
            end += 2
        return end

    def symbol(self, index: int) -> None:
        """Take in what is no name."""
        frame, symbol = self.frame, self.word(index)
        if symbol == "(":
            is_named = bool(frame.named) and self.word(index - 1) == "as"
            inner = _Frame(expects=frame.expects, names_when_closed=frame.named if is_named else "")
            frame.expects = False
            self.frames.append(inner)
        elif symbol == ")" and len(self.frames) > 1:
            name = self.frames.pop().names_when_closed
            if name:
                self.frame.own_names.add(name)
                self.frame.named = ""
        elif symbol == "," and not frame.in_values:
            frame.names_next = bool(frame.own_names) and not frame.has_select and not frame.in_from and not frame.named
            frame.expects = frame.in_from
        elif symbol == ";":
            self.frames = [_Frame()]
        elif symbol == "|>":
            frame.in_from = frame.in_values = frame.expects = False
            frame.has_select = True
        elif frame.expects:
            frame.expects = False

    def keyword(self, index: int) -> bool:
        """Take in a word that begins or ends something; False where it is a name like any other."""
        frame, word, after = self.frame, self.word(index), self.word(index + 1)
        if frame.names_next:
            return word == "recursive" and after not in ("as", "(")
        if word == "select":
            frame.expects = frame.in_from = frame.in_values = False
            frame.has_select = True
        elif word == "from" and self.is_from_of_tables(index):
            frame.expects = frame.in_from = True
        elif word == "join":
            frame.expects, frame.in_values = True, False
        elif word == "with" and self.begins_with_clause(index):
            frame.names_next = True
            frame.expects = False
        elif word == "table" and self.is_table_query(index):
            frame.expects = True
        elif word == "values" and (after == "(" or self.is_constant(index + 1)):
            frame.in_values, frame.expects = True, False
        elif word == "lateral":
            frame.in_from = frame.in_from and after != "view"
            frame.expects = frame.expects and after != "view"
        elif word in _SET_OPERATORS and self.word(index - 1) != "*":
            frame.expects = frame.in_from = frame.in_values = frame.has_select = False
        elif word in _ENDS_OF_FROM or (word in _WITH_BY and after == "by") or self.is_window_clause(index):
            frame.in_from = frame.in_values = frame.expects = False
        else:
            return False
        return True

    def name(self, start: int, end: int) -> None:
        """Take in a name: of a table, of a WITH clause, or of a column or function, which are left out."""
        frame = self.frame
        if frame.in_values and (self.word(start - 1) == ")" or self.is_constant(start - 1)):
            frame.in_values = False
        if frame.names_next:
            frame.named, frame.names_next = self.code[start].name.lower(), False
            if self.word(start - 1) == "recursive":
                frame.own_names.add(frame.named)
        elif self.frame.expects:
            frame.expects = False
            if self.word(start) == "identifier" and self.word(end) == "(" and end == start + 1:
                self.unnamed = self.unnamed or self.code[start]
            elif self.word(end) != "(" and not self.is_own_name(start, end):
                found = self.mention(start, end)
                is_query = self.word(start - 1) == "table" and self.word(start - 2) not in ("from", "join", ",")
                self.mentions.append(self.as_query(found, start - 1) if is_query else found)
        else:
            self.full_column(start, end)

    def mention(self, start: int, end: int) -> Mention:
        """Return the mention whose name has the tokens from `start` to `end`, with what follows it."""
        table = TableName.of([self.code[index].name for index in range(start, end, 2)])
        after = self.after_sample(end)
        is_versioned = self.is_version(end)
        has_as = self.word(after) == "as"
        at = after + has_as
        has_alias = not is_versioned and self.is_name(at) and (has_as or not self.begins_clause(at))
        return Mention(
            table,
            self.code[start].start,
            self.code[end - 1].end,
            self.code[at].name if has_alias else None,
            self.code[after - 1].end,
            is_versioned,
        )

    def as_query(self, mention: Mention, table_word: int) -> Mention:
        """Return the mention of `TABLE name`, by where the word stands; what follows it is no alias."""
        before = self.word(table_word - 1)
        is_called = before == "(" and self.is_name(table_word - 2)
        is_argument = before == "=>" or (is_called and self.word(table_word - 2) not in _BEFORE_A_QUERY_IN_PARENTHESES)
        return replace(mention, alias=None, query_at=self.code[table_word].start, is_argument=is_argument)

    def full_column(self, start: int, end: int) -> None:
        """Note `schema.table.column` and `schema.table.*`, with a catalog in front or without."""
        parts = (end - start + 1) // 2
        if self.word(end) == "(":
            return
        if self.word(end) == "." and self.word(end + 1) == "*":
            parts += 1
        for behind_catalog in (0, 1):
            if parts >= 3 + behind_catalog:
                first = start + 2 * behind_catalog
                table = TableName.of([self.code[index].name for index in range(start, first + 3, 2)])
                if not behind_catalog or not table.catalog:
                    place = FullColumn(table, self.code[start].start, self.code[first + 2].start)
                    self.columns.append(place)

    def after_sample(self, index: int) -> int:
        """Return the index behind a table's options and sample, which stand in front of its alias."""
        while (word := self.word(index)) in ("tablesample", "with", "repeatable") and self.word(index + 1) == "(":
            depth = 0
            while index < len(self.code):
                depth += {"(": 1, ")": -1}.get(self.word(index), 0)
                index += 1
                if word != self.word(index - 1) and depth == 0:
                    break
        return index

    def is_version(self, index: int) -> bool:
        """Whether a table's version stands here: `version as of 3`, `for timestamp as of …`, `changes from …`."""
        at = index + (self.word(index) == "for")
        is_as_of = self.word(at) in _VERSIONS and (self.word(at + 1), self.word(at + 2)) == ("as", "of")
        return is_as_of or (self.word(index), self.word(index + 1)) == ("changes", "from")

    def begins_clause(self, index: int) -> bool:
        """Whether the word behind a table is no alias: it begins a join or a clause."""
        word, after = self.word(index), self.word(index + 1)
        if word in _WITH_BY:
            return after == "by"
        if word in ("pivot", "tablesample"):
            return after == "("
        if word == "unpivot":
            return after in ("(", "include", "exclude")
        if word == "window":
            return self.is_window_clause(index)
        if word in _VERSIONS or word == "for":
            return False
        return word in CLAUSE_WORDS

    def is_own_name(self, start: int, end: int) -> bool:
        """Whether a name is one of a WITH clause."""
        name = self.code[start].name.lower()
        return end == start + 1 and any(name in frame.own_names for frame in self.frames)

    def is_from_of_tables(self, index: int) -> bool:
        """Whether tables follow a FROM: not in `is distinct from`, `extract(… from …)`, `trim(from …)`."""
        before = self.word(index - 1)
        if before == "distinct" and self.word(index - 2) in ("is", "not"):
            return False
        if before == "changes" and self.mentions and self.mentions[-1].end == self.code[index - 2].end:
            return False
        if len(self.frames) == 1 or self.frame.has_select or self.frame.own_names:
            return True
        return before in _BEFORE_A_QUERY and not (before == "(" and self.word(index - 2) == "trim")

    def begins_with_clause(self, index: int) -> bool:
        """Whether names of queries follow a WITH: not in `with rollup`, `with ('option' = '…')`."""
        at = index + 1 + (self.word(index + 1) == "recursive" and self.is_name(index + 2))
        return self.is_name(at) and self.word(at + 1) in ("as", "(")

    def is_table_query(self, index: int) -> bool:
        """Whether a table's name follows TABLE."""
        before = self.word(index - 1)
        can_follow = self.is_name(index + 1) or self.word(index + 1) == "("
        is_place = index == 0 or before in _BEFORE_A_QUERY or (before == ")" and bool(self.frame.own_names))
        is_argument = before == "," and len(self.frames) > 1 and self.word(index + 1) == "("
        return can_follow and (is_place or is_argument or self.frame.expects)

    def is_window_clause(self, index: int) -> bool:
        return self.word(index) == "window" and self.is_name(index + 1) and self.word(index + 2) == "as"

    def is_constant(self, index: int) -> bool:
        return 0 <= index < len(self.code) and self.code[index].kind in (Kind.TEXT, Kind.NUMBER)
