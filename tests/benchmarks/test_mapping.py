"""The mapping's benchmark: its landscape has the size that it says, and all steps run on a small one and on the real histories."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

from click.testing import CliRunner

from benchmarks.mapping.__main__ import main
from benchmarks.mapping.landscape import Landscape
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


def test_all_steps_run(tmp_path: Path) -> None:
    size = ["--schemas", "20", "--versions", "4", "--entities", "5", "--entity-versions", "2", "--messages", "300"]
    result = CliRunner().invoke(main, [*size, "--folder", str(tmp_path / "work")])
    assert result.exit_code == 0, result.output
    assert "landscape" in result.output and "MediaWiki" in result.output and "99.9521 %" in result.output
    assert "D_P to D_U to M to D_P" in result.output and "algorithm 1" in result.output
