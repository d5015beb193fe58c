-- Grain: one message about one customer: one change event that could be mapped.
{{ config(alias='customer_messages') }}
{{ outgoing_messages(ref('mapped_customer')) }}
