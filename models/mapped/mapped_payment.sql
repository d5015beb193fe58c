-- Grain: one change event of a source that feeds the entity payment.
{{ config(alias='payment', entity='payment') }}
{%- do [source('shop', 'incoming_payment'), source('shop', 'outgoing_payment')] if not execute -%}
{{ map_to_entity('payment') }}
