-- Grain: one change event of a source that feeds the entity production.
{{ config(alias='production', entity='production') }}
{{ map_to_entity('production') }}
