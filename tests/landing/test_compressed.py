"""Compressed files are told by how they begin, whatever they are called, and have to end where their last frame does."""

from __future__ import annotations

import bz2
import gzip
import random
from collections.abc import Callable
from pathlib import Path

import pyarrow
import pytest

from entrepot.landing.arrivals import Arrival
from entrepot.landing.compressed import compression, ends_whole
from entrepot.landing.links import Links

FILES = {
    "gzip": (gzip.compress(b"x"), ".gz"),
    "an empty gzip": (gzip.compress(b""), ".gz"),
    "bzip2": (bz2.compress(b"x"), ".bz2"),
    "an empty bzip2": (bz2.compress(b""), ".bz2"),
    "text that begins as bzip2": (b"BZh9 is what the first line says\n{}\n", ""),
    "half of a magic number": (b"\x1f\x8b", ""),
    "zstandard": (b"\x28\xb5\x2f\xfd\x00", ".zst"),
    "zstandard behind a frame to be skipped, as pzstd writes it": (b"\x50\x2a\x4d\x18\x04\x00\x00\x00", ".zst"),
    "text": (b"{}\n", ""),
    "nothing": (b"", ""),
}


def test_compression_is_told_by_the_first_bytes(tmp_path: Path) -> None:
    arrivals = []
    for name, (data, _) in FILES.items():
        path = tmp_path / name
        path.write_bytes(data)
        arrivals.append(Arrival(path, len(data), 0))
    made = Links(tmp_path / "links").make(arrivals)
    assert {path.name: Path(link).suffix for path, link in made.items()} == {
        name: kind for name, (_, kind) in FILES.items()
    }


def zstandard(data: bytes) -> bytes:
    return bytes(pyarrow.compress(data, codec="zstd", asbytes=True))


@pytest.mark.parametrize("compress", [zstandard, bz2.compress], ids=["zstandard", "bzip2"])
def test_a_file_ends_where_its_last_frame_does(tmp_path: Path, compress: Callable[[bytes], bytes]) -> None:
    draw, path = random.Random(3), tmp_path / "file"
    # runs, random bytes in several blocks, and nothing
    contents = [b"x" * 100_000, draw.randbytes(300_000), b"", b"a line\n" * 7]
    packed = [compress(one) for one in contents]
    suffix = compression(packed[0])

    def is_whole(data: bytes) -> bool:
        path.write_bytes(data)
        return ends_whole(path, suffix)

    whole = b"".join(packed)
    assert [is_whole(data) for data in (*packed, whole, whole + whole)] == [True] * 6
    ends = {0} | {sum(map(len, packed[:count])) for count in range(1, 5)}
    cuts = (
        {draw.randrange(len(whole)) for _ in range(40)} | {end - 1 for end in ends if end} | {end + 1 for end in ends}
    )
    assert [cut for cut in sorted(cuts - ends) if cut < len(whole) and is_whole(whole[:cut])] == []
    assert [rest for rest in (b"x", b"{}\n" * 9, b"\0" * 20) if is_whole(whole + rest)] == []
    if suffix == ".zst":
        skipped = b"\x5a\x2a\x4d\x18\x04\x00\x00\x00four"
        assert [is_whole(data) for data in (skipped + whole, packed[0] + skipped + packed[1])] == [True, True]
        assert not is_whole(whole + skipped[:-1])
