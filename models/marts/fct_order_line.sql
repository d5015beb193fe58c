-- Grain: one line of one sales order, with the item and the customer as they were when the line was committed.
{{ config(unique_key=['order_id', 'line_number']) }}
select
    line.order_id,
    line.line_number,
    sales_order.customer_id,
    customer.dbt_scd_id as customer_key,
    line.item_code,
    item.dbt_scd_id as item_key,
    sales_order.ordered_at,
    cast(sales_order.ordered_at as date) as order_date,
    sales_order.status as order_status,
    line.quantity,
    item.price,
    coalesce(line.discount, 0) as discount,
    cast(line.quantity * item.price * (1 - coalesce(line.discount, 0)) as decimal(18, 2)) as amount
from {{ ref('int_order_line_current') }} as line
inner join {{ ref('int_sales_order_current') }} as sales_order on line.order_id = sales_order.order_id
inner join {{ ref('item_history') }} as item
    on line.item_code = item.item_code
    and {{ history_valid_at('item', 'line.valid_from_position', extend_first=true) }}
inner join {{ ref('customer_history') }} as customer
    on sales_order.customer_id = customer.customer_id
    and {{ history_valid_at('customer', 'line.valid_from_position', extend_first=true) }}
