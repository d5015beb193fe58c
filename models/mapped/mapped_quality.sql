-- Grain: one change event of a source that feeds the entity quality.
{{ config(alias='quality', entity='quality') }}
{%- do [source('plant', 'quality')] if not execute -%}
{{ map_to_entity('quality') }}
