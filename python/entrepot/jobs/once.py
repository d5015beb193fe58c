"""What several models of a job want, and one of them finds out."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from threading import Lock, RLock
from typing import Generic, TypeVar

Found = TypeVar("Found")


class Once(Generic[Found]):
    """Answers by key: the first one that asks works an answer out, others that want the same wait for it.

    What fails is not kept: the next one tries again.

    >>> once = Once[int]()
    >>> once.get("a", lambda: 1), once.get("a", lambda: 2)
    (1, 1)
    """

    def __init__(self) -> None:
        """Begin with no answer."""
        self._lock = Lock()
        self._locks: dict[Hashable, RLock] = {}
        self._found: dict[Hashable, Found] = {}

    def get(self, key: Hashable, find: Callable[[], Found]) -> Found:
        """Return the answer for a key; `find` works it out where there is none."""
        with self._lock:
            if key in self._found:
                return self._found[key]
            lock = self._locks.setdefault(key, RLock())
        with lock:
            if key not in self._found:
                found = find()
                with self._lock:
                    self._found[key] = found
            return self._found[key]

    def known(self, key: Hashable) -> Found | None:
        """Return the answer for a key; none where nobody has asked."""
        return self._found.get(key)

    def put(self, key: Hashable, found: Found) -> None:
        """Note an answer."""
        with self._lock:
            self._found[key] = found
