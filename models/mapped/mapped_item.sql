-- Grain: one change event of a source that feeds the entity item.
{{ config(alias='item', entity='item') }}
{%- do [source('shop', 'sales_item'), source('plant', 'material')] if not execute -%}
{{ map_to_entity('item') }}
