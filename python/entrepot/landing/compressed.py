"""Compressed files: told by how they begin, and whether they end as they should.

Java's readers of bzip2 and Zstandard stop without a word where something else follows, or where a file ends within a later frame; of gzip
they tell. So these two are walked to their ends here. What is broken within is found by Spark, which reads each file to its end, too.
"""

from __future__ import annotations

import bz2
import os
import re
from io import BufferedReader
from pathlib import Path

# what Spark knows compressed files by, and how they begin: a member of gzip, a frame of Zstandard or one to be skipped, a block or the end of bzip2
COMPRESSED = {
    ".gz": re.compile(rb"\x1f\x8b\x08"),
    ".zst": re.compile(rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18"),
    ".bz2": re.compile(rb"BZh[1-9](1AY&SY|\x17\x72\x45\x38\x50\x90)"),
}
# how many bytes of a file are needed to tell
BEGIN = 10
FRAME = 0xFD2FB528
SKIPPED = range(0x184D2A50, 0x184D2A60)


def compression(begin: bytes) -> str:
    """Return the suffix by which Spark knows a file that begins so; empty for what is not compressed.

    >>> compression(b"\\x1f\\x8b\\x08\\x00"), compression(b"BZh9 is how this text begins")
    ('.gz', '')
    """
    return next((suffix for suffix, magic in COMPRESSED.items() if magic.match(begin)), "")


def is_compressed(link: str) -> bool:
    """Whether a link's file is compressed.

    >>> is_compressed("file:/w/00000001.gz"), is_compressed("file:/w/00000001")
    (True, False)
    """
    return link.endswith(tuple(COMPRESSED))


def ends_whole(path: Path, suffix: str) -> bool:
    """Whether a compressed file ends where its last frame does; what is in the frames is not looked at, but of bzip2.

    Gzip, and a file that has gone, are left to Spark.
    """
    if suffix not in (".zst", ".bz2"):
        return True
    try:
        with path.open("rb") as file:
            return _walked_bzip2(file) if suffix == ".bz2" else _walked_zstandard(file)
    except EOFError:
        return False
    except OSError:
        return True


def _walked_bzip2(file: BufferedReader) -> bool:
    stream = bz2.BZ2Decompressor()
    while data := file.read(1 << 20):
        while data:
            if stream.eof:
                stream = bz2.BZ2Decompressor()
            try:
                stream.decompress(data)
            except OSError:
                return False
            data = stream.unused_data
    return stream.eof


def _walked_zstandard(file: BufferedReader) -> bool:
    """Go from frame to frame, and within one from block to block (RFC 8878, 3.1)."""
    size = os.fstat(file.fileno()).st_size
    while file.tell() < size:
        magic = _number(file, 4)
        if magic in SKIPPED:
            file.seek(_number(file, 4), os.SEEK_CUR)
        elif magic == FRAME:
            _walk_frame(file)
        else:
            return False
    return file.tell() == size


def _walk_frame(file: BufferedReader) -> None:
    described = _number(file, 1)
    is_single = described >> 5 & 1
    file.seek((not is_single) + (0, 1, 2, 4)[described & 3] + (is_single, 2, 4, 8)[described >> 6], os.SEEK_CUR)
    is_last = 0
    while not is_last:
        block = _number(file, 3)
        is_last = block & 1
        # a run of one byte is that byte
        file.seek(1 if block >> 1 & 3 == 1 else block >> 3, os.SEEK_CUR)
    file.seek(4 * (described >> 2 & 1), os.SEEK_CUR)


def _number(file: BufferedReader, size: int) -> int:
    data = file.read(size)
    if len(data) < size:
        raise EOFError
    return int.from_bytes(data, "little")
