"""dbt plugin."""
