"""Tokens as Spark's own lexer tells them, and errors that mark the place."""

from __future__ import annotations

import time

import pytest

from entrepot.sql import SqlError, code_only
from entrepot.sql.tokens import tokens


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("'a''b' 'c\\'d' '\\\\'", ["'a''b'", "'c\\'d'", "'\\\\'"]),
        ('"a""b" "c\\"d"', ['"a""b"', '"c\\"d"']),
        ("r'a\\' R\"b\\\" xr'c'", ["r'a\\'", 'R"b\\"', "xr", "'c'"]),
        ("`a``b`.`c.d`", ["`a``b`", ".", "`c.d`"]),
        ("/* a /* b */ */ c /*/ */ d /**/", ["/* a /* b */ */", "c", "/*/ */", "d", "/**/"]),
        ("/* /*+ */ a", ["/* /*+ */", "a"]),
        ("-- a\\\nb\r\nc", ["-- a\\\nb", "c"]),
        ("a--b\rc", ["a", "--b", "c"]),
        ("s.2024_orders 1e5D 1L 1.5BD .5 5.e", ["s", ".", "2024_orders", "1e5D", "1L", "1.5BD", ".", "5", "5.e"]),
        (
            "a!=b a<=>b a||b x->y k=>v |> ::",
            ["a", "!=", "b", "a", "<=>", "b", "a", "||", "b", "x", "->", "y", "k", "=>", "v", "|>", "::"],
        ),
        ("group by order\nby union all", ["group", "by", "order", "by", "union", "all"]),
        (
            "{# from {{ x }} {% #} ${y}",
            ["{", "#", "from", "{", "{", "x", "}", "}", "{", "%", "#", "}", "$", "{", "y", "}"],
        ),
        ("größe名前\u00a0x", ["größe名前", "x"]),
        ("add archive x", ["add", "archive", "x"]),
        ("$a$ ' $$ $a$ $$'$$", ["$a$ ' $$ $a$", "$$'$$"]),
        ("", []),
    ],
)
def test_pieces(sql: str, expected: list[str]) -> None:
    found = tokens(sql)
    assert [token.text for token in found] == expected
    assert all(sql[token.start : token.end] == token.text for token in found)


@pytest.mark.parametrize(
    ("sql", "sentence", "line", "column"),
    [
        ("select 1,\n  'it from s.t", "The text that begins here has no end", 2, 3),
        ("select 1 /* a /* b */", "The comment that begins here has no end", 1, 10),
        ("select /*+ a", "The hint that begins here has no end", 1, 8),
        ("select 1\r\n\r\nfrom `a", "The quoted name that begins here has no end", 3, 6),
        ('select "a\\"', "The text that begins here has no end", 1, 8),
        ("$$ a", "The text that begins here has no end", 1, 1),
    ],
)
def test_what_has_no_end(sql: str, sentence: str, line: int, column: int) -> None:
    with pytest.raises(SqlError) as error:
        tokens(sql)
    assert (error.value.line, error.value.column) == (line, column)
    assert error.value.problem.startswith(f"{sentence} (line {line}, column {column}):\n")
    shown, mark = error.value.problem.splitlines()[1:3]
    assert shown[mark.index("^")] == sql.splitlines()[line - 1][column - 1]


def test_a_place_far_in_a_long_line() -> None:
    with pytest.raises(SqlError) as error:
        tokens("x " * 5000 + "'a")
    assert all(len(line) < 120 for line in str(error.value).splitlines())


def test_code_only() -> None:
    sql = "select 'group by' -- limit\n, \"rand()\" /*+ x */ from t /* order by */ where `limit` = r'\\'"
    assert code_only(sql) == "select ''  \n, ''   from t   where `limit` = ''"


def test_a_megabyte_is_read_in_reasonable_time() -> None:
    sql = "select a.id, coalesce(b.name, 'it''s') as name -- note\nfrom s.orders a left join s.t as b on a.id = b.id union all\n"
    began = time.process_time()
    assert len(tokens(sql * (1_000_000 // len(sql)))) > 100_000
    assert time.process_time() - began < 30
