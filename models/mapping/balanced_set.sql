-- Grain: one element of one schema version's block to one entity: D_P (METL 5.3.3), computed from D_U, the stored blocks.
{{ config(
    materialized='incremental',
    incremental_strategy='delta',
    delta_rule='full',
    unique_key=['schema', 'version', 'entity', 'entity_version', 'attribute', 'entity_attribute'],
) }}
{{ mapping_decompact(ref('unique_block'), ref('schema_tree')) }}
