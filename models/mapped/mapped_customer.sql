-- Grain: one change event of a source that feeds the entity customer.
{{ config(alias='customer', entity='customer') }}
{%- do [source('shop', 'sales_customer')] if not execute -%}
{{ map_to_entity('customer') }}
