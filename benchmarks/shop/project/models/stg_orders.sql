{{ config(unique_key='order_id') }}
select
  id as order_id, store_id as location_id, customer as customer_id,
  subtotal as subtotal_cents, tax_paid as tax_paid_cents, order_total as order_total_cents,
  cast(subtotal / 100 as decimal(16, 2)) as subtotal, cast(tax_paid / 100 as decimal(16, 2)) as tax_paid,
  cast(order_total / 100 as decimal(16, 2)) as order_total, date_trunc('day', ordered_at) as ordered_at
from {{ source('raw', 'raw_orders') }}
