"""Generators of the mapping: from source tables to rows of the seeds and files of the dbt project (`entrepot generate`).

Readers (`landed`, `values`, `catalogue`, `seeds`, `project`) ask; `names`, `types`, `proposal`, `files` and `plan` decide on what they are
given; `writing` writes. The SQL of the mapping is in `macros/mapping`.
"""
