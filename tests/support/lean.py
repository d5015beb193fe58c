"""What a throw-away project does without."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path


def without_macro_docs(folder: str, names: Sequence[str]) -> list[str]:
    """Name the files of a folder that describe macros, as `shutil.copytree` asks for what it shall not copy."""
    return [name for name in names if name.endswith(".yml") and "macros" in Path(folder).parts]
