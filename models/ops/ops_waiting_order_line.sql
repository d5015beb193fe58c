-- Grain: one order line that waits for its order, its item or its customer (DOD-ETL: operational message buffer).
with

line as (
    select
        line.order_id,
        line.line_number,
        line.item_code,
        sales_order.customer_id,
        line.dbt_valid_from
    from {{ ref('int_order_line_current') }} as line
    left join {{ ref('int_sales_order_current') }} as sales_order on line.order_id = sales_order.order_id
)

{{ waiting_facts('line', ref('fct_order_line'), ['order_id', 'line_number'], {
    'sales_order': [ref('int_sales_order_current'), 'order_id'],
    'item': [ref('item_history'), 'item_code'],
    'customer': [ref('customer_history'), 'customer_id'],
}) }}
