"""The mapping in Python: generators of rows of the seeds and files of the dbt project (`entrepot generate`), and checks of the seeds.

Readers (`landed`, `values`, `catalogue`, `seeds`, `project`) ask; `names`, `types`, `proposal`, `files` and `plan` decide on what they are
given; `writing` writes. `checks` finds what is wrong with seeds by the rules of `tree_checks` and `block_checks`. The SQL of the mapping is in
`macros/mapping`.
"""
