-- Grain: one change event of a source that feeds the entity equipment.
{{ config(alias='equipment', entity='equipment') }}
{%- do [source('plant', 'equipment')] if not execute -%}
{{ map_to_entity('equipment') }}
