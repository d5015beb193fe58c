"""The archive of the classes that Spark loads, with which a JVM is ready in half the time (AppCDS of Java 17 and 21; decision 24).

A JVM takes what fits from an archive and is silent about one that does not: of another Java or another Spark, damaged, taken away meanwhile.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from entrepot.java import find_java

JAVA_OPTIONS = "spark.driver.extraJavaOptions"
# whoever says anything about such archives says all of it
OWN_OPTIONS = ("SharedArchive", "ArchiveClassesAtExit", "-Xshare")
# messages about archives would go to standard output
SILENT = "-Xlog:cds=off -Xlog:cds+dynamic=off"
# beside an archive: a link to the PySpark whose classes are in it
WHOSE = "pyspark"


def archive_file() -> Path:
    """Return where the archive for this Java and this Spark is kept."""
    import pyspark

    java = find_java()
    parts = f"{java.resolve() if java else None} {pyspark.__version__} {pyspark.__file__}"
    key = hashlib.md5(parts.encode(), usedforsecurity=False).hexdigest()[:12]
    return cache_folder() / f"spark-{pyspark.__version__}-{key}" / "classes.jsa"


def keep_archive(written: Path) -> Path:
    """Put an archive in its place, and remove those of virtual environments that are gone; return where it is.

    Raises:
        OSError: the cache cannot be written
    """
    import pyspark

    target = archive_file()
    target.parent.mkdir(parents=True, exist_ok=True)
    whose = target.parent / WHOSE
    if not whose.exists():
        whose.unlink(missing_ok=True)
        whose.symlink_to(Path(pyspark.__file__).parent)
    written.replace(target)
    for other in cache_folder().iterdir():
        if (other / WHOSE).is_symlink() and not (other / WHOSE).exists():
            shutil.rmtree(other, ignore_errors=True)
    return target


def cache_folder() -> Path:
    """Return entrepot's folder in the user's cache, `XDG_CACHE_HOME` or `~/.cache`."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "entrepot"


def with_archive(settings: Mapping[str, str]) -> dict[str, str]:
    """Return settings of Spark with which its JVM reads the archive, where there is one."""
    options, file = settings.get(JAVA_OPTIONS, ""), archive_file()
    if not file.is_file() or any(own in options for own in OWN_OPTIONS):
        return dict(settings)
    return {**settings, JAVA_OPTIONS: f'{options} -XX:SharedArchiveFile="{file}" {SILENT}'.strip()}


def writing_archive(settings: Mapping[str, str], file: Path) -> dict[str, str]:
    """Return settings of Spark with which its JVM writes an archive when it ends."""
    options = settings.get(JAVA_OPTIONS, "")
    return {**settings, JAVA_OPTIONS: f'{options} -XX:ArchiveClassesAtExit="{file}" {SILENT}'.strip()}
