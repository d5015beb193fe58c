"""The page in Chromium, from a file: what it shows against independent results, keyboard, colours, odd names, and a large landscape."""

from __future__ import annotations

import csv
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from benchmarks.mapping.landscape import Landscape
from entrepot.cli import main
from entrepot.mapping.matrix.progression import progression
from entrepot.mapping.matrix.search import row_super_set
from entrepot.mapping.matrix.seeded import seeds_of, state_of
from tests.mapping.test_matrix_report import put
from tests.mapping.test_page_content import HOSTILE
from tests.support.browser import is_there, started_browser

DATA = Path(__file__).parent / "mediawiki"
ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.skipif(not is_there(), reason="no chromium with chromedriver on the PATH: make chromium")

# all cells of the grid, {row: {column: text}} as aria numbers them, scrolled through until the end; column 1 is the row's head
CELLS = """
const grid = document.querySelector('[role=treegrid]'), found = {};
const frame = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
for (let top = 0; top < grid.scrollHeight; top += Math.max(90, grid.clientHeight - 160)) {
  for (let left = 0; left < grid.scrollWidth; left += grid.clientWidth / 2) {
    grid.scrollTo(left, top);
    await frame();
    for (const row of grid.querySelectorAll('[role=row]')) {
      const cells = (found[row.ariaRowIndex] ??= {});
      for (const cell of row.querySelectorAll('[role=gridcell], [role=rowheader], [role=columnheader]')) {
        for (let span = 0; span < (cell.ariaColSpan ?? 1); span++) {
          cells[Number(cell.ariaColIndex) + span] = (cell.querySelector('.name, .attribute, strong') ?? cell).firstChild?.textContent ?? '';
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


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with started_browser() as browser:
        yield browser


def written(seeds: Path, file: Path) -> Path:
    result = CliRunner().invoke(main, ["mapping", "page", "--seeds", str(seeds), "--out", str(file)])
    assert result.exit_code == 0, result.output
    return file


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(DATA, tmp_path_factory.mktemp("page") / "mapping.html")


@pytest.fixture
def shown(browser: Any, page_file: Path) -> Iterator[Shown]:
    """MediaWiki's history; whatever a test does, the page has to go without an error."""
    page = Shown(browser, page_file)
    page.emulate()
    yield page
    assert page.problems() == []
    assert page.run("return performance.getEntriesByType('resource').length") == 0


def test_the_matrix_shows_the_sizes_of_the_newest_blocks(shown: Shown) -> None:
    sizes: dict[tuple[str, str], dict[int, int]] = {}
    with (DATA / "expected_balanced_set.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            versions = sizes.setdefault((row["schema"], row["entity"]), {})
            versions[int(row["version"])] = versions.get(int(row["version"]), 0) + 1
    with (DATA / "schema_attribute.csv").open(newline="") as file:
        newest: dict[str, int] = {}
        for row in csv.DictReader(file):
            newest[row["schema"]] = max(newest.get(row["schema"], 0), int(row["version"]))
    cells = shown.go().cells()
    names = cells.pop(1)
    found = {(line[1], names[column]): text for line in cells.values() for column, text in line.items() if column > 1}
    assert {line[1] for line in cells.values()} == set(newest)
    assert found == {place: str(versions.get(newest[place[0]], "∅")) for place, versions in sizes.items()}


@pytest.mark.parametrize("schema", ["user", "page", "user_groups"])
def test_the_versions_of_a_schema_stand_side_by_side_as_the_command_has_them(shown: Shown, schema: str) -> None:
    state = state_of(seeds_of(DATA))
    wanted = progression(state, schema)
    cells = shown.go(f"#/schema/{schema}").cells()
    heads = cells.pop(1)
    assert [heads[column] for column in sorted(heads)][1:] == [f"v{one.number}" for one in state.domain.schemas[schema]]
    lines = {line[1]: line for line in list(cells.values())[1 : 1 + len(wanted.targets)]}
    lost = {(one.element.entity_attribute, one.version) for one in wanted.losses}
    for target in wanted.targets:
        for group in wanted.columns:
            for version in group.versions:
                text = lines[target[2]].get(version + 1, "")
                gone = "gone" if any(name == target[2] and number <= version for name, number in lost) else ""
                assert text.partition(" since ")[0] == group.attributes.get(target, gone), (target, version)
    assert all(
        f"v{one.version}" in shown.run("return document.querySelector('.news').textContent") for one in wanted.losses
    )


@pytest.mark.parametrize("entity", ["User", "Page", "Revision"])
def test_what_feeds_an_entity_is_what_the_command_has(shown: Shown, entity: str) -> None:
    feeds = row_super_set(state_of(seeds_of(DATA)), entity)
    shown.go(f"#/entity/{entity}")
    shown.run("document.querySelector('[role=treegrid]').focus()")
    shown.keys("ArrowRight")
    cells = shown.cells()
    names = cells.pop(1)
    found = [{names[c]: text for c, text in line.items() if c > 1 and text != "·"} for line in cells.values()]
    assert found == [dict(feed.elements) for feed in reversed(feeds)]


def test_everything_is_reached_by_the_keyboard(shown: Shown) -> None:
    shown.go()
    shown.keys("ArrowDown", "ArrowDown")
    active = "const grid = document.activeElement; return document.getElementById(grid.getAttribute('aria-activedescendant'))?.textContent"
    assert "bot_passwords" in shown.run(active) and shown.said().startswith("bot_passwords, 1 version.")
    shown.keys("ArrowUp", "ArrowUp", "ArrowRight", "ArrowDown")
    assert shown.run(active) == "v14"
    shown.keys("End", "Home", "ArrowUp", "ArrowLeft", "ArrowRight", "ArrowLeft", "ArrowRight", "ArrowLeft", "Enter")
    assert shown.fragment() == "#/schema/archive"
    shown.keys("/", *"user opt", "ArrowDown", "ArrowUp")
    hits = "return [...document.querySelectorAll('[role=option]')].map((one) => one.innerText.replaceAll('\\n', ' '))"
    assert shown.run("return document.activeElement.getAttribute('aria-activedescendant')") == "hit0"
    assert "attribute user_options user" in shown.run(hits) and shown.said().endswith("found.")
    shown.keys("Enter")
    assert shown.fragment() in ("#/schema/user/user_options", "#/entity/User/1/options")
    shown.keys("/", *"no such", "Escape", "Escape")
    assert shown.run("return document.activeElement.getAttribute('role')") == "treegrid"
    shown.run("history.back()")
    time.sleep(0.1)
    assert shown.fragment() == "#/schema/archive"


def test_addresses_lead_to_what_they_name(shown: Shown) -> None:
    shown.go("#/schema/user/user_options")
    assert shown.run("return document.querySelector('.head.active').textContent") == "options"
    shown.go("#/entity/User/1/options")
    assert shown.run("return document.querySelector('.column.active strong').textContent") == "options"
    assert "There is no schema nobody" in shown.go("#/schema/nobody").run("return document.body.innerText")
    assert shown.go("#/review").run("return document.querySelector('h1').innerText") == "8 blocks waiting for a review"
    for odd in ("#/%E0%A4%A", "#/schema", "#/constructor", "#nothing"):
        assert shown.go(odd).run("return document.querySelector('main').innerText.length") > 20


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_can_be_read_in_both_colours_and_the_switch_overrules_the_system(shown: Shown, scheme: str) -> None:
    shown.emulate(scheme)
    ground = "return getComputedStyle(document.body).backgroundColor"
    for fragment in ("#/", "#/schema/user", "#/entity/User", "#/review"):
        assert shown.go(fragment).run(FAINT, 4.5) == []
    before = shown.run(ground)
    assert (before == "rgb(21, 24, 27)") == (scheme == "dark")
    for choice in ("light", "dark", "auto"):
        shown.run("document.getElementById('colours').click()")
        assert choice in shown.run("return document.getElementById('colours').textContent")
        assert (shown.run(ground) == "rgb(21, 24, 27)") == (choice == "dark" or (choice == "auto" and scheme == "dark"))


@pytest.mark.parametrize(("width", "height"), [(390, 780), (1360, 860), (2560, 1300)])
def test_nothing_is_wider_than_the_window(shown: Shown, width: int, height: int) -> None:
    shown.emulate(width=width, height=height)
    for fragment in ("#/", "#/schema/user", "#/entity/User", "#/review"):
        wide = shown.go(fragment).run(
            "return [document.documentElement.scrollWidth, document.documentElement.scrollHeight]"
        )
        assert wide[0] <= width and wide[1] <= height


def test_names_are_text_whatever_they_are(browser: Any, tmp_path: Path) -> None:
    name = '"' + HOSTILE.replace('"', '""') + '"'
    image = '"<img src=x onerror=window.hacked=2>"'
    rows = {
        "schema_attribute": f"{name},1,{name},{image},1,,\n{name},1,{image},{image},1,,\n{name},2,{image},{name},1,,\n",
        "entity_attribute": f"{name},1,{name},{image},true,{name}\n{name},1,{image},{image},,{image}\n",
        "unique_block": f"{name},1,{name},1,{name},{name}\n{name},1,{name},1,{image},{image}\n",
    }
    shown = Shown(browser, written(put(tmp_path / "seeds", **rows), tmp_path / "page.html"))
    shown.emulate()
    shown.go()
    assert shown.run("return document.querySelector('.head .name').textContent") == HOSTILE
    shown.keys("/", *"<script>")
    assert shown.run("return document.querySelectorAll('[role=option]').length") >= 3
    shown.keys("Enter")
    shown.run("location.hash = document.querySelector('[role=treegrid] a.name').getAttribute('href')")
    for fragment in shown.run(
        "return ['schema', 'entity'].map((one) => `#/${one}/${encodeURIComponent(arguments[0])}`)", HOSTILE
    ):
        assert HOSTILE in shown.go(fragment).run("return document.querySelector('h1').textContent")
        shown.cells()
    shown.go("#/review").cells()
    assert shown.run("return [window.hacked, document.images.length, document.scripts.length]") == [None, 0, 2]
    assert shown.problems() == []


def test_pages_of_dbt_docs_are_linked(browser: Any) -> None:
    out = ROOT / "target" / "test-mapping.html"
    result = CliRunner().invoke(main, ["--project-dir", str(ROOT), "mapping", "page", "--out", str(out)])
    assert result.exit_code == 0, result.output
    links = (
        Shown(browser, out)
        .go("#/entity/item")
        .run("return [...document.querySelectorAll('a.docs')].map((one) => one.href)")
    )
    out.unlink()
    docs = (ROOT / "target" / "static_index.html").as_uri()
    assert links == [f"{docs}#!/model/model.entrepot.mapped_item", f"{docs}#!/snapshot/snapshot.entrepot.item_history"]


def test_ten_thousand_attributes_in_ten_versions_are_there_at_once(browser: Any, tmp_path: Path) -> None:
    """Times are of this machine, and generous: what is measured is printed."""
    Landscape().write(tmp_path / "seeds")
    shown = Shown(browser, written(tmp_path / "seeds", tmp_path / "page.html"))
    shown.emulate()
    shown.go()
    assert shown.file.stat().st_size < 3e6
    paint = shown.run("""
      for (;;) {
        const painted = performance.getEntriesByName('first-contentful-paint')[0];
        if (painted) return painted.startTime;
        await new Promise((done) => setTimeout(done, 20));
      }
    """)
    search = """
      const input = document.getElementById('query'), times = [];
      for (const question of ['customer', 'cust', 'shop number 7', 'v9', 'x']) {
        const begin = performance.now();
        input.value = question;
        input.dispatchEvent(new Event('input'));
        document.getElementById('hits').getBoundingClientRect();
        times.push(performance.now() - begin);
      }
      return times;
    """
    times = shown.run(search)
    scroll = """
      const grid = document.querySelector('[role=treegrid]'), times = [];
      for (let top = 0; top < 30000; top += 1500) {
        const begin = performance.now();
        grid.scrollTo(top / 20, top);
        await new Promise(requestAnimationFrame);
        await new Promise(requestAnimationFrame);
        times.push(document.querySelectorAll('*').length);
      }
      return Math.max(...times);
    """
    elements = shown.run(scroll)
    print(f"first paint {paint:.0f} ms, search {[round(one) for one in times]} ms, at most {elements} elements")
    assert paint < 3000 and max(times) < 500 and elements < 2500
    for fragment in ("#/schema/" + shown.run("return document.querySelector('.head .name').textContent"), "#/review"):
        shown.go(fragment)
        assert shown.run("return document.querySelectorAll('[role=rowheader]').length") > 5
    assert shown.problems() == []


def test_who_comes_back_finds_the_matrix_as_it_was_left(shown: Shown) -> None:
    shown.go()
    shown.keys("ArrowRight", *["PageDown"] * 2, "Enter")
    place = "return [document.querySelector('.head.active')?.textContent, document.querySelector('[role=treegrid]').scrollTop]"
    assert shown.fragment().startswith("#/schema/")
    shown.run("history.back(); await new Promise((done) => addEventListener('hashchange', done, {once: true}));")
    name, top = shown.run(place)
    assert top > 200 and name
    shown.keys("Enter")
    assert shown.fragment() == "#/schema/" + shown.run(
        "return document.querySelector('h1').textContent"
    ) and name.count(shown.run("return document.querySelector('h1').textContent"))
