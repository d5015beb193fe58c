"""Captures without Debezium: rows by a timestamp column, by triggers and an audit table, and extracts as files.

All write the records that Debezium would write, with their schema, into an output that agrees with a state beside it.
"""
