-- Grain: one customer with orders, ranked by what the customer still owes in EUR. A rank over all customers: computed in full.
{{ config(unique_key='customer_id') }}
with

ordered as (
    select
        order_id,
        customer_id,
        sum(amount) as amount
    from {{ ref('fct_order_line') }}
    where order_status != 'cancelled'
    group by order_id, customer_id
),

paid as (
    select
        order_id,
        sum(if(currency = 'EUR', amount, 0)) as amount,
        count_if(currency != 'EUR') as other_currency_payments
    from {{ ref('fct_payment') }}
    where order_id is not null
    group by order_id
),

balance as (
    select
        ordered.customer_id,
        count(*) as orders,
        sum(ordered.amount) as ordered_amount,
        sum(coalesce(paid.amount, 0)) as paid_amount,
        sum(ordered.amount - coalesce(paid.amount, 0)) as balance,
        sum(coalesce(paid.other_currency_payments, 0)) as other_currency_payments
    from ordered
    left join paid on ordered.order_id = paid.order_id
    group by ordered.customer_id
)

select
    *,
    rank() over (order by balance desc) as balance_rank
from balance
