"""The archive of the classes that Spark loads, with which a JVM is ready in half the time (AppCDS of Java 17 and 21; decision 24).

A JVM takes what fits from an archive and is silent about one that does not: of another Java or another Spark, damaged, taken away meanwhile.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path

from entrepot.java import find_java

JAVA_OPTIONS = "spark.driver.extraJavaOptions"
# whoever says anything about such archives says all of it
OWN_OPTIONS = ("SharedArchive", "ArchiveClassesAtExit", "-Xshare")
# messages about archives would go to standard output
SILENT = "-Xlog:cds=off -Xlog:cds+dynamic=off"


def archive_file() -> Path:
    """Return where the archive for this Java and this Spark is kept: in the user's cache, `XDG_CACHE_HOME` or `~/.cache`."""
    import pyspark

    java = find_java()
    parts = f"{java.resolve() if java else None} {pyspark.__version__} {pyspark.__file__}"
    key = hashlib.md5(parts.encode(), usedforsecurity=False).hexdigest()[:12]
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return cache / "entrepot" / f"spark-{pyspark.__version__}-{key}.jsa"


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
