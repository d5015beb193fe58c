"""dbt loads this module at the start of every command (modules named `dbt_*` are its plugins): see `checks`."""

from dbt_entrepot.checks import EntrepotChecks

plugins = [EntrepotChecks]
