-- Grain: one change event of a source that feeds the entity production.
{{ config(alias='production', entity='production') }}
{%- do [source('plant', 'production')] if not execute -%}
{{ map_to_entity('production') }}
