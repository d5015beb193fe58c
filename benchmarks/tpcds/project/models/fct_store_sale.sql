-- Grain: one line of one ticket, with the version of the item that was valid when the line was committed.
{{ config(unique_key='line_key') }}
select
  sale.ss_ticket_number * 1000000 + sale.ss_item_sk as line_key, sale.ss_ticket_number as ticket_number, sale.ss_item_sk as item_sk, sale.item_id, item.dbt_scd_id as item_key, item.current_price, item.brand,
  item.category, sale.ss_sold_date_sk as sold_date_sk, sale.ss_store_sk as store_sk, sale.ss_customer_sk as customer_sk,
  sale.ss_quantity as quantity, sale.ss_list_price as list_price, sale.ss_sales_price as sales_price, sale.ss_net_paid as net_paid,
  sale.ss_net_profit as net_profit
from {{ source('tpcds', 'store_sales') }} as sale
inner join {{ ref('item_history') }} as item on sale.item_id = item.item_id and {{ history_valid_at('item', 'sale.commit_position') }}
