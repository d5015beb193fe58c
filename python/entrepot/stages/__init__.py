"""A plan's stages as statements."""
