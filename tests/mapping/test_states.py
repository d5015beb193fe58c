"""What variable `mapping_state` may name, and which of the states that the books have that is."""

from __future__ import annotations

import json

import pytest

from entrepot.errors import EntrepotError
from entrepot.mapping.sync import recorded, told_state

DETAILS = [None, json.dumps({"newest": {}, "state": "1234ab"}), json.dumps({"newest": {}, "state": "1299cd"})]


def test_a_state_is_named_by_its_beginning() -> None:
    found = recorded(DETAILS, told_state("123"))
    assert found is not None and found["state"] == "1234ab"
    assert recorded(DETAILS, "9") is None
    with pytest.raises(EntrepotError, match=r"Several states of the mapping begin with 12\. Write more of it"):
        recorded(DETAILS, "12")


@pytest.mark.parametrize("value", [1234, 0o1234, 1.5, True, ["1234ab"]])
def test_what_yaml_takes_for_something_else_is_refused(value: object) -> None:
    with pytest.raises(EntrepotError, match=r"Variable mapping_state is .* no text\. Write .* in quotes"):
        told_state(value)
