-- Grain: one change event of a source that feeds the entity sales_order.
{{ config(alias='sales_order', entity='sales_order') }}
{%- do [source('shop', 'sales_order')] if not execute -%}
{{ map_to_entity('sales_order') }}
