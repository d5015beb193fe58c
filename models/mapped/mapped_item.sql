-- Grain: one change event of a source that feeds the entity item.
{{ config(alias='item', entity='item') }}
{{ map_to_entity('item') }}
