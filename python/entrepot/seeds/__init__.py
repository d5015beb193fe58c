"""Seeds: files of rows that become tables, checked, and written as the difference to what is stored."""

from entrepot.seeds.checksums import Checksums, wanted_checksums
from entrepot.seeds.columns import Column, column_of
from entrepot.seeds.file import File, Sheet, is_in_sight
from entrepot.seeds.refresh import Refresh, Seed, applied, ended, looked_up, planned, written

__all__ = [
    "Checksums",
    "Column",
    "File",
    "Refresh",
    "Seed",
    "Sheet",
    "applied",
    "column_of",
    "ended",
    "is_in_sight",
    "looked_up",
    "planned",
    "wanted_checksums",
    "written",
]
