"""The demo's jobs, each a `dbt build` of its own, by this checkout and by an earlier version."""
