"""dbt's own tests of adapters (package dbt-tests-adapter), run against ours. A changed fixture says why."""
