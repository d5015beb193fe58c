-- Grain: one change event of a source that feeds the entity quality.
{{ config(alias='quality', entity='quality') }}
{{ map_to_entity('quality') }}
