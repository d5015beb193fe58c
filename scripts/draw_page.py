"""Draws docs/mapping.png: the mapping's page for MediaWiki's table `page`, in Chromium. `python -m scripts.draw_page`."""

from __future__ import annotations

import tempfile
from pathlib import Path

from entrepot.mapping.matrix.seeded import seeds_of, state_of
from entrepot.mapping.page.content import content
from entrepot.mapping.page.document import document
from tests.support.browser import started_browser

ROOT = Path(__file__).resolve().parents[1]

with tempfile.TemporaryDirectory() as folder, started_browser() as browser:
    file = Path(folder) / "mapping.html"
    state = state_of(seeds_of(ROOT / "tests/mapping/mediawiki"))
    file.write_text(document(content(state, "MediaWiki")), encoding="utf-8")
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride", {"width": 1240, "height": 770, "deviceScaleFactor": 1, "mobile": False}
    )
    browser.get(f"{file.as_uri()}#/schema/page")
    browser.save_screenshot(str(ROOT / "docs" / "mapping.png"))
