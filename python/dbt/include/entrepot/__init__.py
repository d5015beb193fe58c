"""What comes with the adapter into every dbt project: materializations, hooks, generic tests, models on the bookkeeping."""

from pathlib import Path

PACKAGE_PATH = str(Path(__file__).parent)
