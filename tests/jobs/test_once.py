"""What models that run side by side share."""

from __future__ import annotations

import threading
import time

import pytest

from entrepot.jobs.once import Once


def test_many_threads_and_one_answer() -> None:
    once: Once[int] = Once()
    asked: list[int] = []
    found: list[int] = []

    def find() -> int:
        time.sleep(0.05)
        asked.append(1)
        return 7

    threads = [threading.Thread(target=lambda: found.append(once.get("a", find))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(asked), found) == (1, [7] * 8)


def test_what_fails_is_tried_again() -> None:
    once: Once[int] = Once()

    def fail() -> int:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        once.get("a", fail)
    assert once.known("a") is None
    assert once.get("a", lambda: 1) == 1


def test_an_answer_may_need_another_one() -> None:
    once: Once[int] = Once()
    assert once.get("a", lambda: once.get("b", lambda: 1) + 1) == 2
