"""What a history has to be like, as numbered scenarios (after automate-dv's feature files): when events arrive, then versions.

`when`: job in which the event arrives, place in the log (`at`), op, key, and what its after image carries: an empty cell
is an attribute that the image does not carry, `null` one that it says is null. `schema` is `shop` where not given, and each
scenario has schemas of its own; `error` is a mapping error. A key `-` is null, and so is a place `-`. `note` is untracked.
`then`: after which job, the versions with the places in the log from which and to which they are valid; `note` is null where not given.
"""

from __future__ import annotations

from typing import NamedTuple


class Scenario(NamedTuple):
    """One scenario; `when` and `then` are tables as text. `by_system`: in the history in which plant wins over shop, but for the price."""

    number: int
    title: str
    when: str
    then: str
    by_system: bool = False


def table(text: str) -> list[dict[str, str]]:
    """The rows of a table written as text."""
    header, *rows = [[cell.strip() for cell in line.split("|")] for line in text.strip().splitlines()]
    return [dict(zip(header, row, strict=True)) for row in rows]


SCENARIOS = [
    Scenario(1, "An insert is a version that is still valid", """
        job | at | op | key | name | price
        1   | 10 | c  | a   | bolt | 5
        1   | 11 | r  | b   | nut  | 6
    """, """
        after | key | name | price | from | to | first
        1     | a   | bolt | 5     | 10   |    | yes
        1     | b   | nut  | 6     | 11   |    | yes
        3     | a   | bolt | 5     | 10   |    | yes
        3     | b   | nut  | 6     | 11   |    | yes
    """),
    Scenario(2, "An update in a later job ends a version and begins the next", """
        job | at | op | key | name | price
        1   | 10 | c  | a   | bolt | 5
        2   | 20 | u  | a   | bolt | 6
    """, """
        after | key | name | price | from | to | first
        1     | a   | bolt | 5     | 10   |    | yes
        2     | a   | bolt | 5     | 10   | 20 | yes
        2     | a   | bolt | 6     | 20   |    | no
    """),
    Scenario(3, "Several changes of a key in one job are several versions", """
        job | at | op | key | name | price
        2   | 10 | c  | a   | bolt | 5
        2   | 11 | u  | a   | bolt | 6
        2   | 12 | u  | a   | bolt | 7
        2   | 13 | u  | a   | nut  | 7
    """, """
        after | key | name | price | from | to | first
        2     | a   | bolt | 5     | 10   | 11 | yes
        2     | a   | bolt | 6     | 11   | 12 | no
        2     | a   | bolt | 7     | 12   | 13 | no
        2     | a   | nut  | 7     | 13   |    | no
    """),
    Scenario(4, "A delete ends the version", """
        job | at | op | key | name | price
        1   | 10 | c  | a   | bolt | 5
        2   | 20 | d  | a   |      |
        1   | 10 | c  | b   | bolt | 5
        1   | 12 | d  | b   |      |
    """, """
        after | key | name | price | from | to | first
        1     | a   | bolt | 5     | 10   |    | yes
        1     | b   | bolt | 5     | 10   | 12 | yes
        2     | a   | bolt | 5     | 10   | 20 | yes
        2     | b   | bolt | 5     | 10   | 12 | yes
    """),
    Scenario(5, "A delete and an insert leave a gap, also where the values are the same", """
        job | at | op | key | name | price
        1   | 10 | c  | a   | bolt | 5
        1   | 20 | d  | a   |      |
        2   | 30 | c  | a   | bolt | 5
        3   | 40 | d  | a   |      |
        3   | 41 | c  | a   | bolt | 5
    """, """
        after | key | name | price | from | to | first
        1     | a   | bolt | 5     | 10   | 20 | yes
        2     | a   | bolt | 5     | 10   | 20 | yes
        2     | a   | bolt | 5     | 30   |    | no
        3     | a   | bolt | 5     | 10   | 20 | yes
        3     | a   | bolt | 5     | 30   | 40 | no
        3     | a   | bolt | 5     | 41   |    | no
    """),
    Scenario(6, "A late event lies before stored versions and repairs their intervals", """
        job | at | op | key | name | price
        1   | 10 | c  | a   | bolt | 5
        1   | 30 | u  | a   | bolt | 9
        2   | 20 | u  | a   | bolt | 6
        3   | 5  | c  | a   | bolt | 4
        3   | 25 | d  | a   |      |
    """, """
        after | key | name | price | from | to | first
        1     | a   | bolt | 5     | 10   | 30 | yes
        1     | a   | bolt | 9     | 30   |    | no
        2     | a   | bolt | 5     | 10   | 20 | yes
        2     | a   | bolt | 6     | 20   | 30 | no
        2     | a   | bolt | 9     | 30   |    | no
        3     | a   | bolt | 4     | 5    | 10 | yes
        3     | a   | bolt | 5     | 10   | 20 | no
        3     | a   | bolt | 6     | 20   | 25 | no
        3     | a   | bolt | 9     | 30   |    | no
    """),
    Scenario(7, "Events that arrive out of order in one job are put in order", """
        job | at | op | key | name | price
        2   | 30 | u  | a   | bolt | 7
        2   | 10 | c  | a   | bolt | 5
        2   | 40 | d  | a   |      |
        2   | 20 | u  | a   | bolt | 6
    """, """
        after | key | name | price | from | to | first
        2     | a   | bolt | 5     | 10   | 20 | yes
        2     | a   | bolt | 6     | 20   | 30 | no
        2     | a   | bolt | 7     | 30   | 40 | no
    """),
    Scenario(8, "A changed primary key ends the old key and begins the new one", """
        job | at | op | key | name | price
        1   | 10 | c  | a   | bolt | 5
        2   | 20 | d  | a   |      |
        2   | 20 | c  | b   | bolt | 5
    """, """
        after | key | name | price | from | to | first
        1     | a   | bolt | 5     | 10   |    | yes
        2     | a   | bolt | 5     | 10   | 20 | yes
        2     | b   | bolt | 5     | 20   |    | yes
    """),
    Scenario(9, "An event that is delivered twice changes nothing, in the same job or later", """
        job | at | op | key | name | price
        1   | 10 | c  | a   | bolt | 5
        1   | 10 | c  | a   | bolt | 5
        1   | 20 | u  | a   | bolt | 6
        2   | 20 | u  | a   | bolt | 6
        2   | 10 | c  | a   | bolt | 5
        2   | 30 | d  | a   |      |
        3   | 30 | d  | a   |      |
        3   | 10 | c  | a   | bolt | 5
    """, """
        after | key | name | price | from | to | first
        1     | a   | bolt | 5     | 10   | 20 | yes
        1     | a   | bolt | 6     | 20   |    | no
        2     | a   | bolt | 5     | 10   | 20 | yes
        2     | a   | bolt | 6     | 20   | 30 | no
        3     | a   | bolt | 5     | 10   | 20 | yes
        3     | a   | bolt | 6     | 20   | 30 | no
    """),
    Scenario(10, "What an image does not carry keeps its value; a delete forgets it", """
        job | at | op | key | name | price
        1   | 10 | c  | a   | bolt | 5
        2   | 20 | u  | a   |      | 6
        2   | 30 | d  | a   |      |
        2   | 40 | c  | a   |      | 7
        3   | 50 | u  | a   | nut  |
    """, """
        after | key | name | price | from | to | first
        1     | a   | bolt | 5     | 10   |    | yes
        2     | a   | bolt | 5     | 10   | 20 | yes
        2     | a   | bolt | 6     | 20   | 30 | no
        2     | a   | null | 7     | 40   |    | no
        3     | a   | bolt | 5     | 10   | 20 | yes
        3     | a   | bolt | 6     | 20   | 30 | no
        3     | a   | null | 7     | 40   | 50 | no
        3     | a   | nut  | 7     | 50   |    | no
    """),
    Scenario(11, "A truncate ends every key that its schema has fed, and only those", """
        job | at | op | schema | key | name | price
        1   | 10 | c  | shop   | a   | bolt | 5
        1   | 11 | c  | shop   | b   | nut  | 6
        1   | 12 | c  | plant  | c   | ring | 7
        1   | 20 | t  | shop   | -   |      |
        1   | 30 | c  | shop   | b   | nut  | 6
        2   | 15 | c  | shop   | d   | late | 8
        2   | 25 | c  | shop   | e   | new  | 9
        3   | 40 | t  | plant  | -   |      |
    """, """
        after | key | name | price | from | to | first
        1     | a   | bolt | 5     | 10   | 20 | yes
        1     | b   | nut  | 6     | 11   | 20 | yes
        1     | b   | nut  | 6     | 30   |    | no
        1     | c   | ring | 7     | 12   |    | yes
        2     | a   | bolt | 5     | 10   | 20 | yes
        2     | b   | nut  | 6     | 11   | 20 | yes
        2     | b   | nut  | 6     | 30   |    | no
        2     | c   | ring | 7     | 12   |    | yes
        2     | d   | late | 8     | 15   | 20 | yes
        2     | e   | new  | 9     | 25   |    | yes
        3     | a   | bolt | 5     | 10   | 20 | yes
        3     | b   | nut  | 6     | 11   | 20 | yes
        3     | b   | nut  | 6     | 30   |    | no
        3     | c   | ring | 7     | 12   | 40 | yes
        3     | d   | late | 8     | 15   | 20 | yes
        3     | e   | new  | 9     | 25   |    | yes
    """),
    Scenario(12, "A change to equal values makes no version", """
        job | at | op | key | name | price
        1   | 10 | c  | a   | bolt | 5
        1   | 20 | u  | a   | bolt | 5
        2   | 30 | u  | a   | bolt | 5
        2   | 40 | u  | a   | bolt | 6
        3   | 35 | u  | a   | bolt | 6
    """, """
        after | key | name | price | from | to | first
        1     | a   | bolt | 5     | 10   |    | yes
        2     | a   | bolt | 5     | 10   | 40 | yes
        2     | a   | bolt | 6     | 40   |    | no
        3     | a   | bolt | 5     | 10   | 35 | yes
        3     | a   | bolt | 6     | 35   |    | no
    """),
    Scenario(13, "An event without a key is left out; a null attribute is a value", """
        job | at | op | key | name | price
        1   | 10 | c  | -   | bolt | 5
        1   | 11 | c  | a   | null | 5
        2   | 12 | u  | -   | bolt | 6
        2   | 20 | u  | a   | bolt | 5
        2   | 30 | u  | a   | null | null
        2   | 31 | u  | a   | null | null
    """, """
        after | key | name | price | from | to | first
        1     | a   | null | 5     | 11   |    | yes
        2     | a   | null | 5     | 11   | 20 | yes
        2     | a   | bolt | 5     | 20   | 30 | no
        2     | a   | null | null  | 30   |    | no
    """),
    Scenario(14, "Two schemas that feed one entity each give their attributes", """
        job | at | op | schema | key | name | price
        1   | 10 | c  | shop   | a   | bolt |
        1   | 20 | c  | plant  | a   |      | 5
        2   | 30 | u  | shop   | a   | nut  |
        3   | 25 | u  | plant  | a   |      | 6
    """, """
        after | key | name | price | from | to | first
        1     | a   | bolt | null  | 10   | 20 | yes
        1     | a   | bolt | 5     | 20   |    | no
        2     | a   | bolt | null  | 10   | 20 | yes
        2     | a   | bolt | 5     | 20   | 30 | no
        2     | a   | nut  | 5     | 30   |    | no
        3     | a   | bolt | null  | 10   | 20 | yes
        3     | a   | bolt | 5     | 20   | 25 | no
        3     | a   | bolt | 6     | 25   | 30 | no
        3     | a   | nut  | 6     | 30   |    | no
    """),
    Scenario(15, "An event that could not be mapped makes no version", """
        job | at | op | key | name | price | error
        1   | 10 | c  | a   | bolt | 5     |
        1   | 20 | u  | a   | nut  | null  | price does not fit
        2   | 30 | u  | a   | nut  | 7     |
        2   | 5  | c  | b   | nut  | null  | price does not fit
        2   | 40 | d  | a   |      |       | an image does not fit
    """, """
        after | key | name | price | from | to | first
        1     | a   | bolt | 5     | 10   |    | yes
        2     | a   | bolt | 5     | 10   | 30 | yes
        2     | a   | nut  | 7     | 30   |    | no
    """),
    Scenario(16, "The first version of a key is marked, whatever comes late or again", """
        job | at | op | key | name | price
        1   | 20 | u  | a   | bolt | 6
        2   | 10 | c  | a   | bolt | 5
        1   | 5  | d  | b   |      |
        1   | 10 | c  | b   | bolt | 5
        2   | 20 | d  | b   |      |
        2   | 30 | c  | b   | bolt | 5
        1   | 10 | d  | c   |      |
    """, """
        after | key | name | price | from | to | first
        1     | a   | bolt | 6     | 20   |    | yes
        1     | b   | bolt | 5     | 10   |    | yes
        2     | a   | bolt | 5     | 10   | 20 | yes
        2     | a   | bolt | 6     | 20   |    | no
        2     | b   | bolt | 5     | 10   | 20 | yes
        2     | b   | bolt | 5     | 30   |    | no
    """),
    Scenario(17, "A change that changed nothing makes a version when a late one comes in between", """
        job | at | op | key | name | price
        1   | 10 | c  | a   | bolt | 5
        1   | 30 | u  | a   | bolt | 5
        2   | 20 | u  | a   | bolt | 6
        3   | 25 | d  | a   |      |
    """, """
        after | key | name | price | from | to | first
        1     | a   | bolt | 5     | 10   |    | yes
        2     | a   | bolt | 5     | 10   | 20 | yes
        2     | a   | bolt | 6     | 20   | 30 | no
        2     | a   | bolt | 5     | 30   |    | no
        3     | a   | bolt | 5     | 10   | 20 | yes
        3     | a   | bolt | 6     | 20   | 25 | no
        3     | a   | bolt | 5     | 30   |    | no
    """),
    Scenario(18, "A change of an untracked attribute makes no version; a version has what was known when it began", """
        job | at | op | key | name | price | note
        1   | 10 | c  | a   | bolt | 5     | x
        1   | 20 | u  | a   |      |       | y
        2   | 30 | u  | a   |      | 6     |
        2   | 40 | u  | a   |      |       | z
        3   | 15 | u  | a   |      | 4     |
        3   | 25 | u  | a   |      |       | null
        3   | 50 | d  | a   |      |       |
        3   | 60 | c  | a   | bolt | 5     |
    """, """
        after | key | name | price | note | from | to | first
        1     | a   | bolt | 5     | x    | 10   |    | yes
        2     | a   | bolt | 5     | x    | 10   | 30 | yes
        2     | a   | bolt | 6     | y    | 30   |    | no
        3     | a   | bolt | 5     | x    | 10   | 15 | yes
        3     | a   | bolt | 4     | x    | 15   | 30 | no
        3     | a   | bolt | 6     | null | 30   | 50 | no
        3     | a   | bolt | 5     | null | 60   |    | no
    """),
    Scenario(19, "An event without a place in the log is left out", """
        job | at | op | key | name | price
        1   | -  | c  | a   | bolt | 5
        1   | 10 | c  | b   | bolt | 5
        2   | -  | d  | b   |      |
        2   | -  | t  | -   |      |
        3   | 20 | c  | a   | nut  | 6
    """, """
        after | key | name | price | from | to | first
        1     | b   | bolt | 5     | 10   |    | yes
        2     | b   | bolt | 5     | 10   |    | yes
        3     | a   | nut  | 6     | 20   |    | yes
        3     | b   | bolt | 5     | 10   |    | yes
    """),
    Scenario(20, "A delete of what was never there makes nothing, and one before the insert leaves it alone", """
        job | at | op | key | name | price
        1   | 10 | d  | a   |      |
        1   | 20 | d  | b   |      |
        2   | 15 | c  | b   | bolt | 5
        3   | 30 | d  | b   |      |
        3   | 5  | c  | a   | nut  | 6
    """, """
        after | key | name | price | from | to | first
        2     | b   | bolt | 5     | 15   | 20 | yes
        3     | a   | nut  | 6     | 5    | 10 | yes
        3     | b   | bolt | 5     | 15   | 20 | yes
    """),
    Scenario(21, "Places are numbers", """
        job | at | op | key | name | price
        1   | 9  | c  | a   | bolt | 5
        1   | 10 | u  | a   | bolt | 6
        2   | 100 | u | a   | bolt | 7
    """, """
        after | key | name | price | from | to  | first
        1     | a   | bolt | 5     | 9    | 10  | yes
        1     | a   | bolt | 6     | 10   |     | no
        2     | a   | bolt | 5     | 9    | 10  | yes
        2     | a   | bolt | 6     | 10   | 100 | no
        2     | a   | bolt | 7     | 100  |     | no
    """),
    Scenario(22, "The first system that has a value wins; what it does not carry, or says is null, is the next one's", """
        job | at | op | schema | key | name | price
        1   | 10 | c  | shop   | a   | bolt | 5
        1   | 20 | c  | plant  | a   | BOLT | 4
        2   | 30 | u  | shop   | a   | nut  | 6
        2   | 40 | u  | plant  | a   | null |
        3   | 50 | u  | shop   | a   |      | null
        3   | 60 | c  | other  | a   | x    | 1
    """, """
        after | key | name | price | from | to | first
        1     | a   | bolt | 5     | 10   | 20 | yes
        1     | a   | BOLT | 5     | 20   |    | no
        2     | a   | bolt | 5     | 10   | 20 | yes
        2     | a   | BOLT | 5     | 20   | 30 | no
        2     | a   | BOLT | 6     | 30   | 40 | no
        2     | a   | nut  | 6     | 40   |    | no
        3     | a   | bolt | 5     | 10   | 20 | yes
        3     | a   | BOLT | 5     | 20   | 30 | no
        3     | a   | BOLT | 6     | 30   | 40 | no
        3     | a   | nut  | 6     | 40   | 50 | no
        3     | a   | nut  | 4     | 50   |    | no
    """, by_system=True),
    Scenario(23, "A delete or a truncate takes one system's values away; the key is there while another has it", """
        job | at | op | schema | key | name | price
        1   | 10 | c  | shop   | a   | bolt | 5
        1   | 20 | c  | plant  | a   | BOLT | 4
        1   | 30 | d  | plant  | a   |      |
        2   | 40 | d  | shop   | a   |      |
        2   | 50 | c  | plant  | a   | BOLT | 4
        3   | 60 | t  | plant  | -   |      |
        3   | 70 | d  | shop   | a   |      |
    """, """
        after | key | name | price | from | to | first
        1     | a   | bolt | 5     | 10   | 20 | yes
        1     | a   | BOLT | 5     | 20   | 30 | no
        1     | a   | bolt | 5     | 30   |    | no
        2     | a   | bolt | 5     | 10   | 20 | yes
        2     | a   | BOLT | 5     | 20   | 30 | no
        2     | a   | bolt | 5     | 30   | 40 | no
        2     | a   | BOLT | 4     | 50   |    | no
        3     | a   | bolt | 5     | 10   | 20 | yes
        3     | a   | BOLT | 5     | 20   | 30 | no
        3     | a   | bolt | 5     | 30   | 40 | no
        3     | a   | BOLT | 4     | 50   | 60 | no
    """, by_system=True),
    Scenario(24, "A truncate ends no key that its schema feeds only afterwards", """
        job | at | op | schema | key | name | price
        1   | 10 | c  | plant  | a   | bolt | 5
        1   | 20 | t  | shop   | -   |      |
        1   | 30 | c  | shop   | a   | nut  | 6
        2   | 15 | c  | shop   | a   | ring | 7
    """, """
        after | key | name | price | from | to | first
        1     | a   | bolt | 5     | 10   | 30 | yes
        1     | a   | nut  | 6     | 30   |    | no
        2     | a   | bolt | 5     | 10   | 15 | yes
        2     | a   | ring | 7     | 15   | 20 | no
        2     | a   | nut  | 6     | 30   |    | no
    """),
]  # fmt: skip
