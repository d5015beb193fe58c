"""A shop of 13 small models: its jobs by delta rules against plain dbt-spark, which rebuilds all tables."""
