{{ config(materialized='ephemeral') }}
select line_id, order_id, customer_id, amount from {{ ref('joined') }} where amount > 100
