"""`type: entrepot` in a dbt profile: dbt-spark with incremental models, histories and published snapshots."""

from dbt.adapters.base import AdapterPlugin

from dbt.adapters.entrepot.connections import EntrepotConnectionManager as EntrepotConnectionManager
from dbt.adapters.entrepot.credentials import EntrepotCredentials
from dbt.adapters.entrepot.impl import EntrepotAdapter
from dbt.include import entrepot

Plugin = AdapterPlugin(
    adapter=EntrepotAdapter,
    credentials=EntrepotCredentials,
    include_path=entrepot.PACKAGE_PATH,
    dependencies=["spark"],
)
