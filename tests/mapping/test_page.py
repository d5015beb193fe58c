"""The page in Chromium, from a file: what it shows against independent results, keyboard, colours, odd names, and a large landscape."""

from __future__ import annotations

import csv
import os
import random
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from benchmarks.mapping.landscape import Landscape
from entrepot.cli import main
from entrepot.mapping.matrix.progression import progression
from entrepot.mapping.matrix.review import reviews
from entrepot.mapping.matrix.search import row_super_set
from entrepot.mapping.matrix.seeded import seeds_of, state_of
from entrepot.mapping.matrix.state import State
from entrepot.mapping.page.content import content
from entrepot.mapping.page.document import document
from tests.mapping.in_python import seeds_of_case
from tests.mapping.random_trees import Case, random_case
from tests.mapping.shown_page import FAINT, Shown
from tests.mapping.test_matrix_report import put
from tests.mapping.test_page_content import HOSTILE, RANGE, SEED
from tests.support.browser import is_there, started_browser

DATA = Path(__file__).parent / "mediawiki"
ROOT = Path(__file__).resolve().parents[2]
CASES = int(os.environ.get("ENTREPOT_MATRIX_CASES") or 1000)

# every row that can be expanded is, those out of sight too
EXPAND = """
const grid = document.querySelector('[role=treegrid]');
for (let top = 0; grid && top < grid.scrollHeight; top += 300) {
  grid.scrollTo(0, top);
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  for (let head; (head = grid.querySelector('[aria-expanded=false] > .head')); ) head.click();
}
"""

pytestmark = pytest.mark.skipif(not is_there(), reason="no chromium with chromedriver on the PATH: make chromium")


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
    shown.go(f"#/schema/{schema}")
    same_schema(shown, state, schema)
    news = shown.run("return document.querySelector('.news').textContent")
    assert all(f"v{one.version}" in news for one in progression(state, schema).losses)


@pytest.mark.parametrize("entity", ["User", "Page", "Revision"])
def test_what_feeds_an_entity_is_what_the_command_has(shown: Shown, entity: str) -> None:
    shown.go(f"#/entity/{entity}")
    same_entity(shown, state_of(seeds_of(DATA)), entity, 1)


def same_schema(shown: Shown, state: State, schema: str) -> None:
    """A schema's grid is its progression: blocks, what each attribute of an entity comes from, what is gone, what is not mapped."""
    wanted, versions = progression(state, schema), [one.number for one in state.domain.schemas[schema]]
    cells = shown.cells()
    heads = cells.pop(1)
    assert [heads[column] for column in sorted(heads)][2:] == [f"v{number}" for number in versions]
    mapped = {number: group.attributes for group in wanted.columns for number in group.versions}
    section, seen, idle = "", set(), set()
    for line in cells.values():
        if line[0] == "1":
            section = line[1]
            targets = [one for one in wanted.targets if title(state, *one[:2]) == section]
            sizes = [sum(target in mapped[number] for target in targets) for number in versions]
            if section != "not mapped":
                assert [int(line.get(at, "0").replace("∅", "0")) for at, _ in enumerate(versions, 2)] == sizes
        elif section == "not mapped":
            idle |= {line[1]} if len(versions) + 1 in line else set()
        else:
            target = next(one for one in wanted.targets if (title(state, *one[:2]), one[2]) == (section, line[1]))
            seen.add(target)
            for at, number in enumerate(versions, 2):
                text = line.get(at, "")
                if target in mapped[number]:
                    assert text == mapped[number][target], (target, number)
                else:
                    assert not text or text.startswith(("(", "gone")), (target, number)
                    lost = [
                        one
                        for one in wanted.losses
                        if one.version == number and one.element[2:4] + one.element[5:] == target
                    ]
                    assert not lost or text.startswith("(" if lost[0].is_stored else "gone"), (target, number)
    assert seen == set(wanted.targets) and idle == set(wanted.unmapped)


def same_entity(shown: Shown, state: State, entity: str, version: int) -> None:
    """An entity's grid is its row super-set: by schema, the newest versions first."""
    shown.run(EXPAND)
    cells = shown.cells() if shown.run("return document.querySelector('[role=treegrid]') !== null") else {1: {}}
    names = cells.pop(1)
    found = [{names[c]: text for c, text in line.items() if c > 1 and text != "·"} for line in cells.values()]
    feeds = row_super_set(state, entity, version)
    feeds.sort(key=lambda feed: (feed.schema, -feed.versions[-1]))
    assert found == [dict(feed.elements) for feed in feeds]


def title(state: State, entity: str, version: int) -> str:
    return entity if version == state.range.newest(entity) else f"{entity} {version}"


@pytest.mark.campaign
def test_random_mappings_are_shown_as_the_commands_have_them(browser: Any, tmp_path: Path) -> None:
    """Null blocks, several versions of entities, attributes that come back, versions without attributes: several trees in one page."""
    print(f"ENTREPOT_TEST_SEED={SEED}")
    random_, case = random.Random(f"{SEED}.shown"), Case()
    for number in range(max(6, CASES // 1000)):
        one = random_case(number, random_)
        case.tree |= one.tree
        case.unique_set |= one.unique_set
    state = state_of(seeds_of_case(case.tree, case.unique_set, RANGE, random_))
    file = tmp_path / "page.html"
    file.write_text(document(content(state, "random")))
    shown = Shown(browser, file)
    shown.emulate(width=1800, height=1400)
    for schema in case.tree:
        shown.go(f"#/schema/{schema}")
        print(schema)
        same_schema(shown, state, schema)
    for entity, version in RANGE:
        shown.go(f"#/entity/{entity}/{version}")
        same_entity(shown, state, entity, version)
    shown.go("#/review")
    waiting = [(line[1], line[2], line[3]) for line in list(shown.cells().values())[1:] if line[4] != "retyped"]
    assert waiting == [
        (one.schema, f"v{one.version}", title(state, one.entity, one.entity_version)) for one in reviews(state)
    ]
    assert shown.problems() == []


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


@pytest.mark.long
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
    # the view follows the address by an event
    shown.run("await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));")
    assert shown.fragment() == "#/schema/" + shown.run(
        "return document.querySelector('h1').textContent"
    ) and name.count(shown.run("return document.querySelector('h1').textContent"))


def test_an_entity_that_nothing_feeds_and_a_schema_that_feeds_nothing_are_walked_through(
    browser: Any, tmp_path: Path
) -> None:
    seeds = put(tmp_path / "seeds", unique_block="")
    shown = Shown(browser, written(seeds, tmp_path / "page.html"))
    shown.emulate()
    for fragment, says in (
        ("#/entity/e", "x (string)"),
        ("#/schema/s", ""),
        ("#/", "s, 1 version."),
    ):
        shown.go(fragment)
        shown.keys("ArrowDown", "ArrowUp", "ArrowUp", "PageDown", "End", "Home")
        shown.keys("ArrowRight", "ArrowLeft", "ArrowUp", "ArrowLeft", "ArrowDown", "Home")
        assert shown.said().startswith(says), shown.said()
    assert shown.problems() == []
