{{ config(unique_key='customer_id') }}
with summary as (
  select
    customer_id, count(order_id) as count_lifetime_orders, count(order_id) > 1 as is_repeat_buyer,
    min(ordered_at) as first_ordered_at, max(ordered_at) as last_ordered_at, sum(subtotal) as lifetime_spend_pretax,
    sum(tax_paid) as lifetime_tax_paid, sum(order_total) as lifetime_spend
  from {{ ref('orders') }}
  group by customer_id
)
select
  customer.*, summary.count_lifetime_orders, summary.first_ordered_at, summary.last_ordered_at, summary.lifetime_spend_pretax,
  summary.lifetime_tax_paid, summary.lifetime_spend, case when summary.is_repeat_buyer then 'returning' else 'new' end as customer_type
from {{ ref('stg_customers') }} as customer
left join summary on customer.customer_id = summary.customer_id
