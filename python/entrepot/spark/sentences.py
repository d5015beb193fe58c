"""What Spark has to say, as a sentence: without Java's stack trace, with what can be done where that is known."""

from __future__ import annotations

import re

# what can be done, by a pattern of Spark's own words
HINTS = {
    r"\[PATH_NOT_FOUND\].*/_delta_log/": (
        "The log of this table is not there. Put it back from a copy; or drop the table, and the next `dbt build` makes it anew."
    ),
    r"\[PATH_NOT_FOUND\](?!.*/_delta_log/)": (
        "Files of changes are read from where the variable landing_path says: correct it in dbt_project.yml, or say "
        "--vars 'landing_path: folder/*.jsonl'; nothing has been landed."
    ),
    r"\[DELTA_MULTIPLE_SOURCE_ROW_MATCHING_TARGET_ROW_IN_MERGE\]": (
        "Rows of the model have the same unique_key, and it has to tell them apart: the test unique_key finds them. Name further columns "
        "in unique_key, or correct the SELECT, and build with --full-refresh. See docs/delta-rules.md."
    ),
    "No space left on device": (
        "Free some space and repeat the job; the last published snapshot is readable as before, and what was written "
        "of this job is taken up or undone."
    ),
}


# where Spark's words on a text of SQL end and say which text that was, and which place in it
_PLACE = r"\s*SQLSTATE: |; line \d+ pos \d+|\n\n|\n== "


def sentence(error: BaseException, with_place: bool = True) -> str:
    """Return what an exception of PySpark says, without stack trace and query plan; what can be done, where known.

    >>> sentence(Exception("An error occurred while calling o1\\n: java.io.IOException: Disk full\\n\\tat a.b(C.java)"))
    'java.io.IOException: Disk full'
    >>> sentence(Exception("java.io.IOException: No space left on device")).split("; ")[0]
    'java.io.IOException: No space left on device. Free some space and repeat the job'
    >>> sentence(Exception("[PATH_NOT_FOUND] Path does not exist: file:/w/marts.db/t/_delta_log/*.json.")).split(". ")[1]
    'The log of this table is not there'
    >>> sentence(Exception("[DELTA_MULTIPLE_SOURCE_ROW_MATCHING_TARGET_ROW_IN_MERGE] Cannot perform Merge")).split(". ")[1]
    'Rows of the model have the same unique_key, and it has to tell them apart: the test unique_key finds them'
    >>> sentence(Exception("[DIVIDE_BY_ZERO] Division by zero. SQLSTATE: 22012\\n== SQL (line 1, position 8) ==\\nselect 1/0"), with_place=False)
    '[DIVIDE_BY_ZERO] Division by zero.'

    Args:
        error: the exception
        with_place: whether it says where in the SQL, which is no use where Spark has read another text than a person has written
    """
    lines = [
        line
        for line in _words(error).splitlines()
        if not re.match(r"\s+at |\s+\.\.\. \d+ more|An error occurred while", line)
    ]
    kept = "\n".join(lines).split("\n\nJVM stacktrace", 1)[0]
    parts = re.split(r"(SQLSTATE: \w+(?:; line \d+ pos \d+)?);\n", kept, maxsplit=1)
    kept = "".join(parts[:2])
    kept = re.sub(r"^: ", "", kept).strip()
    if not with_place:
        kept = re.split(_PLACE, kept, maxsplit=1)[0]
    hints = [hint for words, hint in HINTS.items() if re.search(words, kept)]
    return f"{kept.rstrip('.')}. {' '.join(hints)}" if hints else kept


def _words(error: BaseException) -> str:
    """Return the words of an exception; PySpark 4.2 hides Delta's own, because Spark's list of errors has not got them."""
    text = str(error)
    hidden = error.__context__ if "Cannot find main error class" in text else None
    return str(hidden) if hidden else text
