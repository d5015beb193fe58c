-- Grain: one change event of a source that feeds the entity payment.
{{ config(alias='payment', entity='payment') }}
{{ map_to_entity('payment') }}
