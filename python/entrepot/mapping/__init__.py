"""The mapping as values. `matrix` holds the dynamic mapping matrix and what `entrepot mapping` says of it and does to its seeds.

The other modules are generators: from source tables to rows of the seeds and files of the dbt project (`entrepot generate`).

Readers (`landed`, `values`, `catalogue`, `seeds`, `project`) ask; `names`, `types`, `proposal`, `files` and `plan` decide on what they are
given; `writing` writes. The files of a seed may lie in folders of `owners`: `placing` says which of them takes a new row, `united` makes one file
of them. `checks` finds what is wrong with seeds by the rules of `tree_checks` and `block_checks`. The SQL of the mapping is in `macros/mapping`.
"""
