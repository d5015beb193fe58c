"""Facts of Delta tables: versions, logs, what a commit contains, net changes between two versions.

The readers of logs come from `log_files` (without Spark) and `log_sql` (through any connection); both speak the protocol
`log.TableLog`. Everything else decides on facts that it is given, and asks nobody.
"""
