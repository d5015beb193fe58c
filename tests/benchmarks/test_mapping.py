"""The mapping's benchmark: its landscape has the size that it says, and all steps run on a small one and on the real histories."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from benchmarks.mapping import latency
from benchmarks.mapping.__main__ import main
from benchmarks.mapping.landscape import Landscape
from benchmarks.mapping.messages import projections, sources
from benchmarks.mapping.messages.__main__ import print_figures, sizes
from entrepot.mapping.matrix.seeded import seeds_of, state_of
from entrepot.mapping.matrix.size import size_of
from entrepot.mapping.matrix.trees import successors


def test_a_landscape_has_the_size_that_it_says_and_changes_one_attribute_at_a_time(tmp_path: Path) -> None:
    landscape = Landscape(schemas=30, versions=6, entities=7, entity_versions=3)
    landscape.write(tmp_path)
    state = state_of(seeds_of(tmp_path))
    size = size_of(state)
    assert (size.schemas, size.versions, size.entities) == (30, 180, 7)
    assert (size.columns, size.rows, size.cells) == (1800, 210, 378_000)
    assert len({len(versions[0].names) for versions in state.domain.schemas.values()}) == 1
    kinds = set()
    for versions in state.domain.schemas.values():
        for before, after in pairwise(versions):
            kept = successors(before, after)
            old = {one.name: one.data_type for one in before.attributes}
            new = {one.name: one.data_type for one in after.attributes}
            renamed = sum(name != other for name, other in kept.items())
            changed = sum(old[name] != new[other] for name, other in kept.items())
            assert len(old) - len(kept) + renamed + changed <= 1 and len(new) == 10
            kinds.add((len(old) - len(kept), renamed, changed))
    assert kinds == {(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)}


def test_the_same_seed_is_the_same_landscape(tmp_path: Path) -> None:
    for folder in ("one", "other"):
        Landscape(schemas=5).write(tmp_path / folder)
    for file in (tmp_path / "one").iterdir():
        assert file.read_bytes() == (tmp_path / "other" / file.name).read_bytes()


@pytest.mark.long
def test_all_steps_run(tmp_path: Path) -> None:
    size = ["--schemas", "20", "--versions", "4", "--entities", "5", "--entity-versions", "2", "--messages", "300"]
    result = CliRunner().invoke(main, [*size, "--folder", str(tmp_path / "work")])
    assert result.exit_code == 0, result.output
    assert "landscape" in result.output and "MediaWiki" in result.output and "99.9521 %" in result.output
    assert "D_P to D_U to M to D_P" in result.output and "algorithm 1" in result.output


def test_every_version_of_the_messages_sources_has_a_block_of_its_own(tmp_path: Path) -> None:
    found = sources.versions(3, 10)
    sources.write_seeds(found, tmp_path)
    state = state_of(seeds_of(tmp_path))
    mapped = {
        (place.schema, place.version): {(one.attribute, one.entity_attribute) for one in block}
        for place, block in state.balanced_set.items()
    }
    assert mapped == {
        (one.schema, one.number): {(field.name, field.fills.name) for field in one.fields if field.fills}
        for one in found
    }, "what renames inherit is what the versions say"
    assert len({frozenset(block) for block in mapped.values()}) == len(found) == 30
    assert min(map(len, mapped.values())) == 8, "some versions take a mapped attribute away"


def test_the_projections_read_the_names_of_their_versions() -> None:
    found = sources.versions(1, 2)
    assert projections.union(found, "events").count("union all") == 1
    assert "s000_amount_2 string" in projections.union(found, "events").split("union all")[1]
    assert projections.one_scan(found, "events").count(" from events") == 1
    assert projections.one_scan(sources.versions(1, 5), "events").count("never_") == 1, (
        "a field for what the last version does not have"
    )
    assert projections.matrix(found).count(", 1)") == 20, "each version has ten 1s"
    assert projections.matrix(found).count("('bench") == 200, "and the 0s beside them"


def test_figures_of_messages_are_said(capsys: pytest.CaptureFixture[str]) -> None:
    ways = {
        "compiled": {"cpu": [30.0, 40.0, 50.0], "planning": 2.0, "messages": 10},
        "union": {"cpu": [20.0] * 3, "planning": 1.0, "messages": 10},
    }
    print_figures("5x2", 10, {"branches": 10, "characters": 5000, "ways": ways})
    said = capsys.readouterr().out
    assert "2.00" in said and "10 branches, 5,000 characters; target 1.10" in said
    with pytest.raises(click.BadParameter, match="5x is no landscape: write schemas x versions"):
        sizes("5x")


def test_the_events_of_the_latency_are_recorded_changes() -> None:
    assert len(latency.changes()) >= latency.WARM + 10
