"""Mapping a million messages in Spark: the compiled SQL beside projections written by hand and beside algorithm 1."""
