-- Grain: one element of one unique block, or one null block: D_U as algorithm 3 computes it from D_P (METL 5.3.3).
{{ config(materialized='view') }}
{{ mapping_compact(ref('balanced_set'), ref('schema_tree')) }}
