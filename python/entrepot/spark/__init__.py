"""Everything that imports PySpark."""
