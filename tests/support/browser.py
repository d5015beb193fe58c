"""Debian's Chromium, without a window, driven by its own driver; one browser serves a process."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

from selenium.webdriver import Chrome, ChromeOptions, ChromeService

BROWSER, DRIVER = "chromium", "chromedriver"


def is_there() -> bool:
    """Whether `make chromium`, or somebody, has installed both."""
    return bool(shutil.which(BROWSER) and shutil.which(DRIVER))


@contextmanager
def started_browser(width: int = 1360, height: int = 860) -> Iterator[Chrome]:
    """A browser that can reach nothing but files, and keeps what a page writes to its console."""
    options = ChromeOptions()
    options.binary_location = shutil.which(BROWSER) or BROWSER
    # root has no sandbox; in a container /dev/shm is small
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--hide-scrollbars",
                     "--force-device-scale-factor=1", "--proxy-server=127.0.0.1:9", f"--window-size={width},{height}"):  # fmt: skip
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    # selenium would ask a machine's proxy for the driver beside it
    with patch.dict(os.environ, {"no_proxy": "localhost,127.0.0.1", "NO_PROXY": "localhost,127.0.0.1"}):
        browser = Chrome(options, ChromeService(shutil.which(DRIVER)))
    try:
        yield browser
    finally:
        browser.quit()
