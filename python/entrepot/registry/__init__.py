"""Schemas of a registry: asked for over its REST API, read as versions of source schemas, and kept in the repository."""
