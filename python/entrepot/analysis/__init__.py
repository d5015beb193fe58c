"""What Spark's analyzed plan of a model says: which columns follow which upstream, and which rule maintains the model."""
