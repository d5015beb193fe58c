"""What comes with the adapter into every dbt project: materializations, hooks, generic tests, models on the bookkeeping."""

import os

PACKAGE_PATH = os.path.dirname(__file__)
