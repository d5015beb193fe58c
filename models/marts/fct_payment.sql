-- Grain: one payment of one of the payment services, money coming in counted positive.
{{ config(unique_key=['service', 'payment_id']) }}
select
    split_part(schema_name, '.', 2) as service,
    payment_id,
    order_id,
    supplier,
    coalesce(paid_on, cast(executed_at as date)) as payment_date,
    coalesce(currency, 'EUR') as currency,
    method,
    if(split_part(schema_name, '.', 2) = 'incoming', amount, -amount) as amount
from {{ ref('int_payment_current') }}
