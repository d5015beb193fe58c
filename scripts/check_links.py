"""Checks the Markdown files of the repository: links lead to files and headings that exist, and so do paths in backticks."""

from __future__ import annotations

import re
import subprocess
import sys
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LINK = re.compile(r"\]\(([^)\s]+)\)")
PATH = re.compile(r"`((?:[\w.-]+/)+[\w.-]*)`")
# a docs block of dbt: its links begin at the page of dbt docs, wherever that is
BLOCK = re.compile(r"(?s)\{% docs .*?\{% enddocs %\}")
HEADING = re.compile(r"^#+ +(.*?) *$", re.MULTILINE)
# folders whose files are the repository's; other paths in backticks are examples
OWN = ("python", "macros", "models", "seeds", "snapshots", "tests", "docs", "scripts", "benchmarks", "requirements")


def files() -> list[Path]:
    """Return the Markdown files that git knows."""
    listed = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return [ROOT / name for name in listed.split()]


@cache
def anchors(file: Path) -> frozenset[str]:
    """Return the anchors of a file's headings, as GitHub makes them."""
    text = file.read_text()
    made = (
        re.sub(r"[^\w\- ]", "", re.sub(r"`|\[([^]]*)\]\([^)]*\)", r"\1", heading)).lower().replace(" ", "-")
        for heading in HEADING.findall(text)
    )
    return frozenset(made) | frozenset(re.findall(r'<a id="([^"]+)">', text))


def problems(file: Path) -> list[str]:
    """Return what does not lead anywhere, a sentence each."""
    text = re.sub(r"(?ms)^```.*?^```", "", file.read_text())
    found = []
    for target in LINK.findall(BLOCK.sub("", text)):
        path, _, anchor = target.partition("#")
        if "://" in target or target.startswith("mailto:"):
            continue
        place = (file.parent / path).resolve() if path else file
        if not place.exists():
            found.append(f"link to {target}: there is no such file")
        elif anchor and place.suffix == ".md" and anchor not in anchors(place):
            found.append(f"link to {target}: {place.name} has no such heading")
    for path in PATH.findall(text):
        if path.split("/")[0] in OWN and not (ROOT / path).exists():
            found.append(f"`{path}`: there is no such file")
    return [f"{file.relative_to(ROOT)}: {one}" for one in found]


def main() -> int:
    """Print what was found; 1 where it is anything."""
    found = [one for file in files() for one in problems(file)]
    print("\n".join(found) if found else "Markdown links: all lead somewhere.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
