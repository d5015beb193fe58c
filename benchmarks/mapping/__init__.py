"""The mapping matrix at the paper's scale, without Spark: a landscape of 10^9 elements, and real histories."""
