"""Tests of jobs without Spark: the project as they see it, what models share, verdicts."""
