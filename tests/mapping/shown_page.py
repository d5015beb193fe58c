"""The mapping's page as a browser shows it: its grid read cell by cell, keys pressed, colours emulated."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

# all cells of the grid, {row: {column: text}} as aria numbers them, scrolled through until the end; column 1 is the row's head, column 0 the
# row's level; an attribute that is there and feeds nothing stands in brackets; none where nothing is to be shown
CELLS = """
const grid = document.querySelector('[role=treegrid]'), found = {};
if (!grid) return found;
const frame = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
for (let top = 0; top < grid.scrollHeight; top += Math.max(90, grid.clientHeight - 160)) {
  for (let left = 0; left < grid.scrollWidth; left += grid.clientWidth / 2) {
    grid.scrollTo(left, top);
    await frame();
    for (const row of grid.querySelectorAll('[role=row]')) {
      const cells = (found[row.ariaRowIndex] ??= {0: row.ariaLevel});
      for (const cell of row.querySelectorAll('[role=gridcell], [role=rowheader], [role=columnheader]')) {
        const text = (cell.querySelector('.name, .attribute, strong') ?? cell).firstChild?.textContent ?? '';
        for (let span = 0; span < (cell.ariaColSpan ?? 1); span++) {
          cells[Number(cell.ariaColIndex) + span] = cell.classList.contains('ghost') ? `(${text})` : text;
        }
      }
    }
  }
}
return found;
"""
# texts that are seen, with less contrast to what is behind them than a ratio
FAINT = """
const pen = Object.assign(document.createElement('canvas'), {width: 1, height: 1}).getContext('2d', {willReadFrequently: true});
const mixed = (colours) => {
  pen.clearRect(0, 0, 1, 1);
  for (const colour of colours) { pen.fillStyle = colour; pen.fillRect(0, 0, 1, 1); }
  return [...pen.getImageData(0, 0, 1, 1).data].slice(0, 3).map((c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
};
const light = (colours) => mixed(colours).reduce((sum, c, at) => sum + c * [0.2126, 0.7152, 0.0722][at], 0);
const found = [];
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  const made = walker.currentNode.parentElement;
  if (!walker.currentNode.textContent.trim() || !made.checkVisibility() || made.closest('script, .missing')) continue;
  const behind = [];
  for (let one = made; one; one = one.parentElement) behind.unshift(getComputedStyle(one).backgroundColor);
  const [text, ground] = [light([...behind, getComputedStyle(made).color]), light(behind)].sort((a, b) => b - a);
  const ratio = (text + 0.05) / (ground + 0.05);
  if (ratio < arguments[0]) found.push([walker.currentNode.textContent, ratio]);
}
return found;
"""


@dataclass
class Shown:
    """A page that the browser shows."""

    browser: Any
    file: Path

    def go(self, fragment: str = "#/") -> Shown:
        """Load it anew at a fragment."""
        self.browser.get("about:blank")
        self.browser.get(self.file.as_uri() + fragment)
        return self

    def run(self, script: str, *arguments: object) -> Any:
        return self.browser.execute_script(f"return (async () => {{ {script} }})();", *arguments)

    def cells(self) -> dict[int, dict[int, str]]:
        found = self.run(CELLS)
        return {row: {int(c): text for c, text in found[str(row)].items()} for row in sorted(map(int, found))}

    def keys(self, *keys: str) -> None:
        for key in keys:
            for kind in ("keyDown", "keyUp"):
                text = {"text": key} if len(key) == 1 and kind == "keyDown" else {}
                self.browser.execute_cdp_cmd("Input.dispatchKeyEvent", {"type": kind, "key": key, **text})

    def said(self) -> str:
        return str(self.run("return document.getElementById('said').textContent"))

    def fragment(self) -> str:
        return str(self.run("return decodeURIComponent(location.hash)"))

    def emulate(self, scheme: str = "light", width: int = 1360, height: int = 860) -> None:
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)

    def problems(self) -> list[str]:
        return [entry["message"] for entry in self.browser.get_log("browser")]
