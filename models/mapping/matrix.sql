-- Grain: one 1-element of the mapping matrix M (METL 5.3.1), decompacted from the computed D_U.
{{ config(materialized='view') }}
{{ mapping_decompact(ref('unique_set'), ref('schema_tree')) }}
