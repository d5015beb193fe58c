"""Tables that have been captured and are not there any more: the others go on, and the run ends with a sentence that names them."""

from __future__ import annotations

from collections.abc import Callable

from recorder.captures.postgres import MissingTableError, Relation, find_relations
from recorder.checks import Connection
from recorder.errors import RecordError


class Gone:
    """Such tables in the polls of one run."""

    def __init__(self, say: Callable[[str], None]) -> None:
        """None so far."""
        self._say = say
        self._names: set[str] = set()

    def find_others(
        self, connection: Connection, names: tuple[str, ...], kinds: str, is_known: Callable[[str], bool]
    ) -> list[Relation]:
        """The relations that are there; ``is_known`` says of which names there has been one. Whoever runs the capture is told once.

        :raises RecordError: as :func:`find_relations`, where a table has never been there, or none is left.
        """
        found, gone = [], set()
        for name in names:
            try:
                found += find_relations(connection, (name,), kinds)
            except MissingTableError:
                if not is_known(name):
                    raise
                gone.add(name)
        if not found:
            find_relations(connection, names, kinds)  # the sentence says what else there is
        for name in sorted(gone - self._names):
            self._say(f"{name} is not there any more: the others go on")
        self._names = gone
        return found

    def end(self) -> None:
        """The run is over.

        :raises RecordError: a table was not there in the last poll.
        """
        if self._names:
            are = "is" if len(self._names) == 1 else "are"
            raise RecordError(
                f"{', '.join(sorted(self._names))} {are} not there any more, dropped or renamed; the other tables were captured: "
                "leave it out of --tables, or give its new name. What was captured of it stays as it is."
            )
