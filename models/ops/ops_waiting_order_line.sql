-- Grain: one order line that waits for its order, its item or its customer (DOD-ETL: operational message buffer).
select
    line.order_id,
    line.line_number,
    line.item_code,
    line.dbt_valid_from as committed_at,
    concat_ws(
        ', ',
        if(sales_order.order_id is null, 'sales_order', null),
        if(item.item_code is null, 'item', null),
        if(sales_order.order_id is not null and customer.customer_id is null, 'customer', null)
    ) as waits_for
from {{ ref('int_order_line_current') }} as line
left join {{ ref('int_sales_order_current') }} as sales_order on line.order_id = sales_order.order_id
left join (select distinct item_code from {{ ref('item_history') }}) as item on line.item_code = item.item_code
left join (select distinct customer_id from {{ ref('customer_history') }}) as customer on sales_order.customer_id = customer.customer_id
left anti join {{ ref('fct_order_line') }} as fact on line.order_id = fact.order_id and line.line_number = fact.line_number
