"""The adapter's version, which dbt prints: that of entrepot."""

version = "0.1.0"
