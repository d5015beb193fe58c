"""The dynamic mapping matrix (METL, chapter 5) as values, without a warehouse and without Spark.

A state (`state`) is both trees (`trees`), the stored blocks D_U and what follows from them. `compaction` holds algorithms 2 and 3,
`decompaction` algorithm 4, `update` algorithm 5. `sequential` (algorithm 1, the baseline) and `parallel` (algorithm 6) map single messages,
for comparisons and tests: jobs map by compiled SQL. `seeded` reads a state from the seeds, and refuses those that contradict each other. The
SQL of the same algorithms is in `macros/mapping` (docs/decisions/0030-the-matrix-in-python-and-in-sql.md).
"""
