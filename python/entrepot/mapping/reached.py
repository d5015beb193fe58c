"""Where a leaf that is inside of arrays and maps is found, within the lambdas that go through them (macro `mapping_repeated_value`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from entrepot.mapping.parsing import Place
from entrepot.mapping.paths import ELEMENTS


@dataclass(frozen=True, slots=True)
class Level:
    """An array or a map that a lambda goes through.

    Attributes:
        struct: the struct that it is parsed into
        repeats: `[]` or `{}`; of a map the lambda goes through its keys and values, sorted by key
        number: how many it is inside of, with itself: from 1 on
    """

    struct: str
    repeats: str
    number: int

    @property
    def element(self) -> str:
        """The lambda's variable for an element, or for a key with its value."""
        return "element" if self.number == 1 else f"element_{self.number}"

    @property
    def index(self) -> str:
        """The lambda's variable for its place, from 0 on."""
        return "index" if self.number == 1 else f"index_{self.number}"

    @property
    def value(self) -> str:
        """SQL of the element, or of the value."""
        return self.element if self.repeats == ELEMENTS else f"{self.element}.value"


def reached(place: Place, levels: Sequence[Level], image: str) -> str:
    """Return SQL of what is at a place within the lambdas of some levels: the leaf, or the array or map that comes next on the way to it.

    What is parsed into another struct than a level's array or map is found in its own by the element's index or the value's key.

    Args:
        place: of the leaf
        levels: from outside to inside
        image: `after` or `before`

    >>> far = Place("image", "_record_1", ("`lines[].tags{}.n`.a", "b"))
    >>> reached(far, [], "after"), reached(far, [Level("image", "[]", 1)], "after")
    ('image_after._record_1', 'element.`lines[].tags{}.n`.a')
    >>> reached(far, [Level("image", "[]", 1), Level("marked", "{}", 2)], "after")
    'element.`lines[].tags{}.n`.a[element_2.key].b'
    """
    if not levels:
        return f"{place.struct}_{image}.{place.field}"
    *outer, level = levels
    if level.struct == place.struct:
        found = level.value
    else:
        whole = reached(place, outer, image)
        found = f"get({whole}, {level.index})" if level.repeats == ELEMENTS else f"{whole}[{level.element}.key]"
    within = place.inside[len(outer)]
    return f"{found}.{within}" if within else found
