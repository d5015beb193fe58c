-- Grain: one change event of a source that feeds the entity equipment_status.
{{ config(alias='equipment_status', entity='equipment_status') }}
{%- do [source('plant', 'equipment_status')] if not execute -%}
{{ map_to_entity('equipment_status') }}
