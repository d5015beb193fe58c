"""Links to files under names that Spark reads: it skips `_x` and `.x`, stumbles over colons, and takes what is compressed by its name."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path

from entrepot.landing.arrivals import Arrival
from entrepot.landing.compressed import BEGIN, compression


class Links:
    """A folder of links."""

    def __init__(self, folder: Path) -> None:
        """Make the folder anew; what a killed job has left there is removed."""
        self.folder = folder.absolute()
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)

    def make(self, files: Iterable[Arrival]) -> Mapping[Path, str]:
        """Link files, and return their links as Spark names them, {path: link}; without those that have gone since they were listed."""
        made = {}
        for number, file in enumerate(files):
            try:
                with file.path.open("rb") as opened:
                    begin = opened.read(BEGIN)
            except OSError:
                continue
            link = self.folder / f"{number:08d}{compression(begin)}"
            link.symlink_to(file.path)
            made[file.path] = f"file:{link}"
        return made

    def remove(self) -> None:
        """Remove the folder and its links."""
        shutil.rmtree(self.folder, ignore_errors=True)
