"""What macros ask about the pattern of the landing folder (see `entrepot.landing`); no file is looked at."""

from __future__ import annotations

from dbt.adapters.base.meta import AdapterMeta

from dbt.adapters.entrepot.for_macros import for_macros
from entrepot.landing import Pattern


class LandingPatterns(metaclass=AdapterMeta):
    """Var `landing_path`, as macros need it."""

    @for_macros
    def landing_is_local(self, pattern: str) -> bool:
        """Whether a pattern means files of this machine."""
        return Pattern(pattern).is_local

    @for_macros
    def landing_base(self, pattern: str) -> str:
        """The innermost folder in which all files lie that a pattern means."""
        return Pattern(pattern).base

    @for_macros
    def landing_regex(self, pattern: str) -> str:
        """A regular expression for the URI of a file that a pattern means."""
        return Pattern(pattern).regex
