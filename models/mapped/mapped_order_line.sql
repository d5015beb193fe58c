-- Grain: one change event of a source that feeds the entity order_line.
{{ config(alias='order_line', entity='order_line') }}
{%- do [source('shop', 'sales_order_line')] if not execute -%}
{{ map_to_entity('order_line') }}
