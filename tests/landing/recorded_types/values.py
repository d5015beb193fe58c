"""The tables that are recorded: for every PostgreSQL type the values that its column takes, row by row."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Context, Decimal

# a recording each: Debezium's settings
NAMES = (
    "decimal.handling.mode",
    "time.precision.mode",
    "binary.handling.mode",
    "interval.handling.mode",
    "hstore.handling.mode",
    "include.unknown.datatypes",
)
RUNS = {
    run: dict(zip(NAMES, values, strict=True))
    for run, values in {
        "a": ("precise", "adaptive", "bytes", "numeric", "json", "false"),
        "b": ("string", "adaptive_time_microseconds", "base64", "string", "map", "true"),
        "c": ("double", "connect", "hex", "numeric", "json", "false"),
        "d": ("precise", "isostring", "base64-url-safe", "string", "map", "false"),
        "e": ("precise", "microseconds", "bytes", "numeric", "json", "false"),
        "f": ("precise", "nanoseconds", "bytes", "numeric", "json", "false"),
    }.items()
}

PLACEHOLDER = "__debezium_unavailable_value"
# the first values of every column; the further ones of a column stand in rows further_01, further_02, ...
ROWS = ("ordinary", "zero", "lowest", "highest")
WORDS = ("the", "quick", "brown", "fox", "jumps", "over", "the", "lazy", "dog", "and")


@dataclass(frozen=True)
class Column:
    """A column, its type as in `create table`, and its values as PostgreSQL reads them; None is null."""

    name: str
    type: str
    values: tuple[str | None, ...]


@dataclass(frozen=True)
class Table:
    """A table whose rows take the first, second, ... value of every column, and one row of nulls."""

    name: str
    columns: tuple[Column, ...]

    def rows(self) -> Iterator[tuple[str, dict[str, str | None]]]:
        """The name of each row and its values by column."""
        for number in range(max(len(column.values) for column in self.columns)):
            name = ROWS[number] if number < len(ROWS) else f"further_{number - len(ROWS) + 1:02d}"
            taken = {column.name: column.values[number] for column in self.columns if number < len(column.values)}
            yield name, taken
        yield "null", {}


def number_on_the_wire(encoded: str, scale: int) -> str:
    """The decimal that Debezium sends as this Base64 text: a big-endian two's complement number without its scale."""
    content = base64.b64decode(encoded, validate=True)
    unscaled = int.from_bytes(content, "big", signed=True)
    assert len(content) == (unscaled + (unscaled < 0)).bit_length() // 8 + 1, "another text is sent for this number"
    return format(Decimal(unscaled).scaleb(-scale, Context(prec=100)), "f")


def prose(length: int) -> str:
    """Ordinary text of so many characters, not the same again and again."""
    words = [WORDS[(number * number + number // 7) % len(WORDS)] for number in range(length)]
    return " ".join(words)[:length]


def moments(digits: int, zone: str) -> tuple[str, ...]:
    """The values of a timestamp column that keeps so many digits of a second, with this time zone."""

    def moment(text: str, fraction: str = "", era: str = "") -> str:
        kept = f".{fraction[:digits]}" if fraction and digits else ""
        return f"{text}{kept}{zone}{era}"

    return (
        moment("2026-03-01 10:11:12", "123456"),
        moment("1970-01-01 00:00:00"),
        moment("4713-01-01 00:00:00", era=" BC"),
        moment("294276-12-31 23:59:59", "999999"),
        moment("1969-12-31 23:59:59", "999999"),
        "infinity",
        "-infinity",
        moment("0044-03-15 12:30:00", "123456", " BC"),
        moment("0001-12-31 23:59:59", era=" BC"),
        moment("0001-01-01 00:00:00"),
        moment("10000-01-01 00:00:00"),
        moment("9999-12-31 23:59:59", "999999"),
        moment("1582-10-10 10:11:12", "123456"),
        # around the first and the last nanosecond of a 64 bit number
        moment("1677-09-21 00:12:43", "145225"),
        moment("1677-09-21 00:12:44", "123456"),
        moment("1677-09-21 00:12:45", "123456"),
        moment("2262-04-11 23:47:16", "854775"),
        moment("2262-04-11 23:47:17", "123456"),
        moment("1900-01-01 00:00:00", "123456"),
        moment("0099-03-01 10:11:12", "123456"),
        moment("2026-03-01 10:11:12", "1"),
        # what Debezium writes for `infinity` in milliseconds and microseconds
        moment("294247-01-10 04:00:25", "2"),
    )


NUMBERS = Table(
    "numbers",
    (
        Column("smallint", "smallint", ("7", "0", "-32768", "32767", "-1")),
        Column("integer", "integer", ("42", "0", "-2147483648", "2147483647", "-1")),
        Column(
            "bigint",
            "bigint",
            ("42", "0", "-9223372036854775808", "9223372036854775807", "-1", "9007199254740993", "-9007199254740993"),
        ),
        Column(
            "real",
            "real",
            ("1.5", "0", "-3.4028235e38", "3.4028235e38", "-0", "1e-45", "NaN", "Infinity", "-Infinity", "0.1", "16777216",
             "1e10", "-0.01", "1.17549435e-38"),
        ),
        Column(
            "double_precision",
            "double precision",
            ("0.25", "0", "-1.7976931348623157e308", "1.7976931348623157e308", "-0", "5e-324", "NaN", "Infinity",
             "-Infinity", "0.1", "1e20", "10000000", "-0.01", "9007199254740993", "123456789.123", "0.001", "0.0001"),
        ),
        Column("boolean", "boolean", ("true", "false", "false", "true")),
        Column(
            "numeric_12_2",
            "numeric(12,2)",
            ("1234.50", "0", "-9999999999.99", "9999999999.99", "-0.01", "1.10", "100.000", "0.01", "-1.28", "1.27", "1.28",
             "NaN", number_on_the_wire("1234", 2), number_on_the_wire("9876", 2), number_on_the_wire("1E10", 2)),
        ),
        Column(
            "numeric_10_0",
            "numeric(10,0)",
            ("42", "0", "-9999999999", "9999999999", "-1", "100", "127", "128", "-128", "-129", "NaN",
             number_on_the_wire("1234", 0), number_on_the_wire("0000", 0), number_on_the_wire("null", 0),
             number_on_the_wire("true", 0)),
        ),
        Column(
            "numeric_18_18",
            "numeric(18,18)",
            ("0.123456789012345678", "0", "-0.999999999999999999", "0.999999999999999999", "-0.01", "0.1", "-1e-10", "1e-18",
             "NaN", number_on_the_wire("12345678", 18)),
        ),
        Column(
            "numeric_38_10",
            "numeric(38,10)",
            ("12345678901234567890.0123456789", "0", f"-{'9' * 28}.{'9' * 10}", f"{'9' * 28}.{'9' * 10}", "-0.01", "1.10",
             "100.000", "1e20", "-1e-10", "NaN", number_on_the_wire("1234567890123456", 10),
             number_on_the_wire("Infinity", 10)),
        ),
        Column(
            "numeric_60_20",
            "numeric(60,20)",
            (f"{'1234567890' * 4}.12345678901234567890", "0", f"-{'9' * 40}.{'9' * 20}", f"{'9' * 40}.{'9' * 20}", "-0.01",
             "1.10", "100.000", "1e20", "-1e-10", "1e38", "1e-20", "NaN", number_on_the_wire("12345678901234567890", 20)),
        ),
        Column(
            "numeric",
            "numeric",
            ("1234.5", "0", f"-{'9' * 50}", f"{'9' * 50}", "-0.01", "1.10", "100.000", "1e20", "-1e-10",
             f"0.{'1234567890' * 3}", f"{'1234567890' * 4}.{'1234567890' * 2}", "NaN", "Infinity", "-Infinity", "0.00", "1e-30",
             "100", number_on_the_wire("1234", 0), number_on_the_wire("5678", 2), f"1{'0' * 200}"),
        ),
        Column("money", "money", ("12.34", "0", "-92233720368547758.08", "92233720368547758.07", "-0.01", "1000000.10")),
        Column("domain_numeric", "price", ("12.50", "0", "-99999999.99", "99999999.99", "-0.01", "1.10", "NaN",
                                           number_on_the_wire("1234", 2))),
        Column("domain_integer", "quantity", ("42", "0", "-2147483648", "2147483647", "-1")),
        Column("oid", "oid", ("16384", "0", "0", "4294967295", "2147483648")),
        Column("pg_lsn", "pg_lsn", ("16/B374D848", "0/0", "0/0", "FFFFFFFF/FFFFFFFF")),
    ),
)  # fmt: skip

TIMES = Table(
    "times",
    (
        Column(
            "date",
            "date",
            ("2026-03-01", "1970-01-01", "4713-01-01 BC", "5874897-12-31", "1969-12-31", "infinity", "-infinity",
             "0044-03-15 BC", "0001-12-31 BC", "0001-01-01", "10000-01-01", "9999-12-31", "1582-10-10", "1582-10-15",
             "2000-02-29", "0099-05-06"),
        ),
        Column("time", "time", ("10:11:12.123456", "00:00", "00:00", "24:00:00", "23:59:59.999999", "12:00", "00:00:00.000001")),
        Column("time_3", "time(3)", ("10:11:12.123", "00:00", "00:00", "24:00:00", "23:59:59.999", "12:00", "00:00:00.001")),
        Column("time_0", "time(0)", ("10:11:12", "00:00", "00:00", "24:00:00", "23:59:59", "12:00")),
        Column(
            "timetz",
            "timetz",
            ("10:11:12.123456+05:30", "00:00:00+00", "00:00:00+15:59", "24:00:00-15:59", "24:00:00+00",
             "23:59:59.999999-08", "01:02:03+05:30", "00:00:00.5-03:30", "10:11:12+00", "10:11:12.1+02"),
        ),
        Column("timestamp", "timestamp", moments(6, "")),
        Column("timestamp_3", "timestamp(3)", moments(3, "")),
        Column("timestamp_0", "timestamp(0)", moments(0, "")),
        Column("timestamptz", "timestamptz", moments(6, "+00")),
        Column("timestamptz_3", "timestamptz(3)", moments(3, "+00")),
        Column(
            "interval",
            "interval",
            ("1 year 2 mons 3 days 04:05:06.789012", "0", "-178000000 years", "178000000 years",
             "-1 year 2 days -3.5 sec", "1 mon", "-1 mon", "24:00:00", "1 day", "-00:00:00.000001", "100:00:00", "13 mons",
             "1 year -1 day", "4.5 sec", "-3 days 04:05:06", "2 years", "1 mon 1 microsecond"),
        ),
    ),
)  # fmt: skip

HOSTILE_TEXTS = (
    "it's \"quoted\" \\ and 'again' \\\\ \\n", "a\tb\nc\rd\x0b\x01e\x7f", "😀 ä ß 漢字 e\u0301 \u2028 \ufeff \U0001f468\u200d\U0001f469",
    PLACEHOLDER, f"{PLACEHOLDER} ", "__debezium", "1.10", "007", "null", "NULL", "NaN", "true", "{}", "MTIzNA==", " both ends ",
    "[]", "1e10", prose(10_000),
)  # fmt: skip
SHORT_TEXTS = (
    'it\'s "q" \\ \\n',
    "a\tb\nc\rd\x01",
    "😀 ä ß 漢字",
    "__debezium",
    "1.10",
    "007",
    "null",
    "NaN",
    "{}",
    "  both  ",
)

TEXTS = Table(
    "texts",
    (
        Column("char_5", "char(5)", ("ab", "", "abcde", "😀😀😀😀😀", " a", "1.10", "\n", "null")),
        Column("varchar_20", "varchar(20)", ("ordinary", "", "a", "😀" * 20, *SHORT_TEXTS)),
        Column("text", "text", ("ordinary", "", " ", "z", *HOSTILE_TEXTS)),
        Column("citext", "citext", ("Ordinary", "", "A", "z", *SHORT_TEXTS, PLACEHOLDER)),
        Column("name", "name", ("ordinary", "", "a", "n" * 63, "it's \"q\"", "1.10")),
        Column("domain_text", "label", ("ordinary", "", "a", "z", *SHORT_TEXTS, PLACEHOLDER)),
        Column("mood", "mood", ("calm", "", "calm", "very 'hot' \"one\"", "1.10", "ä, 😀")),
        Column(
            "json",
            "json",
            ('{"a": 1.10, "b": [1, null, "x"], "c": {"d": true}}', "{}", "null", "1e400", "[]", '""', '"text"', "1.10", "true",
             '{"a":  1,\n "a": 2}', '{"quote": "\\" \\\\ \\u00e4 😀"}', "12345678901234567890.12345678901234567890"),
        ),
        Column(
            "jsonb",
            "jsonb",
            ('{"a": 1.10, "b": [1, null, "x"], "c": {"d": true}}', "{}", "null", "1e400", "[]", '""', '"text"', "1.10", "true",
             '{"a":  1,\n "a": 2}', '{"quote": "\\" \\\\ \\u00e4 😀"}', "12345678901234567890.12345678901234567890",
             f'"{PLACEHOLDER}"'),
        ),
        Column("xml", "xml", ('<a b="c">text &amp; more</a>', "", "<a/>", "plain &lt; text", '<?xml version="1.0"?><a>ä</a>')),
        Column(
            "uuid",
            "uuid",
            ("7d4c3b2a-1f0e-4d5c-8b6a-9f8e7d6c5b4a", "0" * 8 + "-0000-0000-0000-" + "0" * 12,
             "{A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11}", "f" * 8 + "-ffff-ffff-ffff-" + "f" * 12),
        ),
        Column("ltree", "ltree", ("top.science.astronomy", "", "a", "a_1.b_2.c", "1.10")),
        Column(
            "hstore",
            "hstore",
            ("a=>1, b=>NULL, c=>x", "", '""=>""', '"a b"=>"1.10"', '"k\\"ey"=>"v\\"al\\\\ue"', '"a,b"=>"c=>d, e"',
             '"new\nline"=>"tab\t"', '"ä"=>"😀"', 'a=>"NULL", b=>"null", c=>"{\\"x\\": 1}"', "\"it's\"=>\"'\""),
        ),
        Column("tsvector", "tsvector", ("'fat':2 'rat':3", "", "'a'", "'it''s':1A 'x':1,2B")),
    ),
)  # fmt: skip

OTHERS = Table(
    "others",
    (
        Column(
            "bytea",
            "bytea",
            ("\\x48656c6c6f", "\\x", "\\x00", "\\xff", "\\xfbefbe", "\\xffff", "\\x000000", "\\xd76df8", "\\x0aff", "\\x1234",
             "\\x" + "".join(f"{number:02x}" for number in range(256)), "\\x" + PLACEHOLDER.encode().hex()),
        ),
        Column(
            "inet",
            "inet",
            ("192.168.0.1", "0.0.0.0", "::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "192.168.0.1/24", "::1/64",
             "192.168.0.1/32", "2001:db8::1", "::ffff:1.2.3.4"),
        ),
        Column("cidr", "cidr", ("192.168.0.0/24", "0.0.0.0/0", "::/0", "ffff::/16", "10.0.0.1/32", "2001:db8::/32")),
        Column("macaddr", "macaddr", ("08:00:2b:01:02:03", "00:00:00:00:00:00", "08-00-2b-01-02-04", "ff:ff:ff:ff:ff:ff")),
        Column(
            "macaddr8",
            "macaddr8",
            ("08:00:2b:01:02:03:04:05", "00:00:00:00:00:00:00:00", "08:00:2b:01:02:03", "ff:ff:ff:ff:ff:ff:ff:ff"),
        ),
        Column("bit_1", "bit(1)", ("1", "0", "0", "1")),
        Column("bit_5", "bit(5)", ("10011", "00000", "00001", "11111", "10000")),
        Column("bit_64", "bit(64)", ("1" + "0" * 62 + "1", "0" * 64, "0" * 63 + "1", "1" * 64, "01" * 32, "1" * 8 + "0" * 56)),
        Column(
            "varbit_12", "bit varying(12)", ("10011", "", "0", "1" * 12, "0000", "1", "00000000", "0000000000", "100000001")
        ),
        Column("point", "point", ("(1.5,-2.25)", "(0,0)", "(-1e308,-1e308)", "(1e308,1e308)", "(NaN,Infinity)", "(-0,0.1)")),
        Column("circle", "circle", ("<(1,2),3>", "<(0,0),0>", "<(-1,-1),1e300>", "<(1.5,1.5),0.1>")),
        Column("int4range", "int4range", ("[1,10)", "empty", "(,)", "[2147483646,2147483647)", "[1,]", "(,5)")),
        Column("numrange", "numrange", ("[1.10,2.50]", "empty", "(,)", "(1e20,1e30)", "[-0.01,)", "[1.1,Infinity)")),
        Column(
            "tstzrange",
            "tstzrange",
            ("[2026-03-01 10:11:12.123456+00,2026-03-02 00:00:00+00)", "empty", "(,)", "[-infinity,infinity]",
             "[0044-03-15 12:00:00+00 BC,10000-01-01 00:00:00+00)"),
        ),
    ),
)  # fmt: skip

ARRAYS = Table(
    "arrays",
    (
        Column("smallint_array", "smallint[]", ("{1,2,3}", "{}", "{-32768}", "{32767}", "{1,NULL,3}")),
        Column("integer_array", "integer[]", ("{1,2,3}", "{}", "{-2147483648}", "{2147483647}", "{1,NULL,3}", "{NULL}",
                                                 "{{1,2},{3,4}}", "[0:1]={1,2}")),
        Column(
            "bigint_array",
            "bigint[]",
            ("{1,2,3}", "{}", "{-9223372036854775808}", "{9223372036854775807}", "{1,NULL,3}", "{9007199254740993}"),
        ),
        Column(
            "real_array", "real[]", ("{1.5,0.1}", "{}", "{-3.4028235e38}", "{3.4028235e38}", "{1,NULL}", "{NaN,Infinity,-Infinity}")
        ),
        Column(
            "double_precision_array",
            "double precision[]",
            ("{0.25,0.1}", "{}", "{-1.7976931348623157e308}", "{1.7976931348623157e308}", "{1,NULL}",
             "{NaN,Infinity,-Infinity,-0}"),
        ),
        Column("boolean_array", "boolean[]", ("{t,f}", "{}", "{f}", "{t}", "{t,NULL}")),
        Column(
            "numeric_10_2_array",
            "numeric(10,2)[]",
            ("{12.50,1.10}", "{}", "{-99999999.99}", "{99999999.99}", "{1,NULL}", "{100.000,-0.01}",
             "{" + number_on_the_wire("1234", 2) + "}", "{NaN}"),
        ),
        Column(
            "numeric_array",
            "numeric[]",
            ("{12.5,1.10}", "{}", f"{{-{'9' * 50}}}", f"{{{'9' * 50}}}", "{1,NULL}", "{100.000,-0.01,1e20,-1e-10}",
             "{" + number_on_the_wire("1234", 2) + "}", "{NaN,1}", "{Infinity,-Infinity}"),
        ),
        Column(
            "text_array",
            "text[]",
            ("{one,two}", "{}", '{""}', "{z}", "{a,NULL}", '{"NULL",null}', '{"a,b","c\\"d","e\\\\f","{g}"," h "}',
             '{"😀 ä","new\nline","it\'s"}', "{1.10,007,null}", f"{{{PLACEHOLDER}}}",
             "{{a,b},{c,d}}"),
        ),
        Column("varchar_10_array", "varchar(10)[]", ("{one,two}", "{}", '{""}', "{z}", "{a,NULL}", '{"a,b","c\\"d"}')),
        Column(
            "date_array",
            "date[]",
            ("{2026-03-01,1970-01-01}", "{}", '{"4713-01-01 BC"}', "{5874897-12-31}", "{2026-03-01,NULL}", "{1969-12-31,10000-01-01}",
             '{"0044-03-15 BC",1582-10-10}', "{infinity,-infinity}"),
        ),
        Column(
            "time_array",
            "time[]",
            ("{10:11:12.123456,12:00}", "{}", "{00:00}", "{24:00:00}", "{12:00,NULL}", "{23:59:59.999999}"),
        ),
        Column(
            "timestamp_array",
            "timestamp[]",
            ('{"2026-03-01 10:11:12.123456"}', "{}", '{"4713-01-01 00:00:00 BC"}', '{"294276-12-31 23:59:59.999999"}',
             '{"2026-03-01 00:00",NULL}', '{"1969-12-31 23:59:59.999999","10000-01-01 00:00"}',
             '{"0044-03-15 12:30:00.123456 BC"}', "{infinity,-infinity}"),
        ),
        Column(
            "timestamptz_array",
            "timestamptz[]",
            ('{"2026-03-01 10:11:12.123456+00"}', "{}", '{"4713-01-01 00:00:00+00 BC"}', '{"294276-12-31 23:59:59.999999+00"}',
             '{"2026-03-01 00:00+00",NULL}', '{"1969-12-31 23:59:59.999999+00","10000-01-01 00:00+00"}',
             '{"0044-03-15 12:30:00.123456+00 BC"}', "{infinity,-infinity}"),
        ),
        Column(
            "uuid_array",
            "uuid[]",
            ("{7d4c3b2a-1f0e-4d5c-8b6a-9f8e7d6c5b4a}", "{}", "{00000000-0000-0000-0000-000000000000}",
             "{ffffffff-ffff-ffff-ffff-ffffffffffff}", "{7d4c3b2a-1f0e-4d5c-8b6a-9f8e7d6c5b4a,NULL}"),
        ),
        Column(
            "jsonb_array",
            "jsonb[]",
            ('{"{\\"a\\": 1.10}","[1, null]"}', "{}", '{"null"}', '{"1e400"}', '{"1",NULL}', '{"\\"text\\"","true"}'),
        ),
        Column("inet_array", "inet[]", ("{192.168.0.1,::1}", "{}", "{0.0.0.0}", "{::}", "{10.0.0.1,NULL}", "{10.0.0.1/8}")),
        Column("mood_array", "mood[]", ("{calm,1.10}", "{}", '{""}', '{"very \'hot\' \\"one\\""}', "{calm,NULL}", '{"ä, 😀"}')),
        Column("bytea_array", "bytea[]", ('{"\\\\x48656c6c6f","\\\\xff"}', "{}", '{"\\\\x"}', '{"\\\\x00"}', '{"\\\\x01",NULL}')),
    ),
)  # fmt: skip

# Types that are rare, and those that Debezium leaves out.
RARE = Table(
    "rare",
    (
        Column("numeric_5_minus_2", "numeric(5,-2)", ("-12345", "0")),
        Column("numeric_3_5", "numeric(3,5)", ("0.00123", "0", "-0.00999", "0.00999")),
        Column("timetz_3", "timetz(3)", ("10:11:12.123+05:30", "00:00:00+00", "00:00:00+15:59", "24:00:00-15:59")),
        Column("timestamptz_0", "timestamptz(0)", ("2026-03-01 10:11:12+00", "1970-01-01 00:00:00+00")),
        Column("int8range", "int8range", ("[1,10)", "empty", "(,)")),
        Column("tsrange", "tsrange", ('["2026-03-01 10:11:12.123456",)', "empty", "(,)")),
        Column("daterange", "daterange", ("[2026-03-01,2026-03-02]", "empty", "(,)")),
        Column("bit_5_array", "bit(5)[]", ("{10011,00001}", "{}")),
        Column("char_5_array", "char(5)[]", ("{ab}", "{}", '{""}')),
        Column("citext_array", "citext[]", ("{A,b}", "{}", '{""}')),
        Column("timetz_array", "timetz[]", ("{10:11:12.123456+05:30}", "{}")),
        Column("json_array", "json[]", ('{"{\\"a\\": 1.10}"}', "{}")),
        Column("hstore_array", "hstore[]", ('{"a=>1, b=>NULL"}', "{}")),
        Column("ltree_array", "ltree[]", ("{a.b}", "{}")),
        Column("oid_array", "oid[]", ("{1,4294967295}", "{}")),
        Column("macaddr_array", "macaddr[]", ("{08:00:2b:01:02:03}", "{}")),
        Column("numrange_array", "numrange[]", ('{"[1.10,2)"}', "{}")),
        Column("domain_numeric_array", "price[]", ("{12.50,1.10}", "{}")),
        Column("interval_array", "interval[]", ("{1 day}", "{}")),
        Column("money_array", "money[]", ("{1.10}", "{}")),
        Column("name_array", "name[]", ("{a}", "{}")),
        Column("point_array", "point[]", ('{"(1,2)"}', "{}")),
        Column("xml_array", "xml[]", ("{<a/>}", "{}")),
        Column("composite", "pair", ('(1,"a b")', "(0,)")),
        Column("internal_char", '"char"', ("a", "")),
        Column("tsquery", "tsquery", ("'fat' & 'rat'", "")),
        Column("jsonpath", "jsonpath", ('$."a"', "$")),
        Column("int4multirange", "int4multirange", ("{[1,3),[5,9)}", "{}")),
        Column("regclass", "regclass", ("pg_class", "0")),
        Column("line", "line", ("{1,2,3}", "{1,0,0}")),
        Column("box", "box", ("(3,4),(1,2)", "(0,0),(0,0)")),
        Column("polygon", "polygon", ("((0,0),(1,1),(1,0))", "((0,0))")),
    ),
)  # fmt: skip


def _repeated(value: str, times: int) -> str:
    return "{" + ",".join([value] * times) + "}"


# Every value is stored out of its row (see `create` in record.py), so that an update of `changed` does not send it again.
LARGE = Table(
    "large",
    (
        Column("changed", "integer", ("1",)),
        Column("text", "text", (prose(8_000),)),
        Column("bytea", "bytea", ("\\x" + "00ff7f80" * 2_000,)),
        Column("char_60", "char(60)", (prose(60),)),
        Column("varchar_60", "varchar(60)", (prose(60),)),
        Column("citext", "citext", (prose(3_000),)),
        Column("domain_text", "label", (prose(3_000),)),
        Column("json", "json", ('{"a": "' + prose(3_000) + '"}',)),
        Column("jsonb", "jsonb", ('{"a": "' + prose(3_000) + '"}',)),
        Column("xml", "xml", (f"<a>{prose(3_000)}</a>",)),
        Column("ltree", "ltree", (".".join(["label_1"] * 300),)),
        Column("hstore", "hstore", (", ".join(f"key{number}=>value" for number in range(200)),)),
        Column("tsvector", "tsvector", (" ".join(f"'word{number}':{number + 1}" for number in range(200)),)),
        Column("varbit", "bit varying", ("10110011" * 400,)),
        Column("numeric_60_20", "numeric(60,20)", (f"{'1234567890' * 4}.12345678901234567890",)),
        Column("numeric", "numeric", ("1234567890" * 30,)),
        Column("domain_numeric_60", "measure", (f"{'1234567890' * 4}.12345678901234567890",)),
        Column("smallint_array", "smallint[]", (_repeated("7", 500),)),
        Column("integer_array", "integer[]", (_repeated("7", 500),)),
        Column("bigint_array", "bigint[]", (_repeated("7", 300),)),
        Column("real_array", "real[]", (_repeated("1.5", 300),)),
        Column("double_precision_array", "double precision[]", (_repeated("1.5", 300),)),
        Column("boolean_array", "boolean[]", (_repeated("t", 300),)),
        Column("numeric_10_2_array", "numeric(10,2)[]", (_repeated("1.10", 300),)),
        Column("numeric_array", "numeric[]", (_repeated("1.10", 300),)),
        Column("text_array", "text[]", (_repeated("some text", 300),)),
        Column("varchar_10_array", "varchar(10)[]", (_repeated("some", 300),)),
        Column("date_array", "date[]", (_repeated("2026-03-01", 300),)),
        Column("time_array", "time[]", (_repeated("10:11:12", 300),)),
        Column("timestamp_array", "timestamp[]", (_repeated('"2026-03-01 10:11:12"', 300),)),
        Column("timestamptz_array", "timestamptz[]", (_repeated('"2026-03-01 10:11:12+00"', 300),)),
        Column("uuid_array", "uuid[]", (_repeated("7d4c3b2a-1f0e-4d5c-8b6a-9f8e7d6c5b4a", 100),)),
        Column("jsonb_array", "jsonb[]", (_repeated('"[1]"', 200),)),
        Column("inet_array", "inet[]", (_repeated("10.0.0.1", 200),)),
        Column("mood_array", "mood[]", (_repeated("calm", 300),)),
        Column("bytea_array", "bytea[]", (_repeated('"\\\\xff00"', 300),)),
    ),
)  # fmt: skip

TABLES = (NUMBERS, TIMES, TEXTS, OTHERS, ARRAYS, RARE, LARGE)
TYPES = (
    "create extension citext",
    "create extension ltree",
    "create extension hstore",
    "create type mood as enum ('calm', '', 'very ''hot'' \"one\"', '1.10', 'ä, 😀')",
    "create domain price as numeric(10,2)",
    "create domain quantity as integer",
    "create domain label as text",
    "create domain measure as numeric(60,20)",
    "create type pair as (number integer, word text)",
)
