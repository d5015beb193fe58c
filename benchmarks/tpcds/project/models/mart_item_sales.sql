-- Grain: one item, over all of its versions: what was sold of it.
{{ config(unique_key='item_id') }}
select
  item_id, count(*) as lines, sum(quantity) as quantity, sum(net_paid) as net_paid, sum(net_profit) as net_profit,
  sum(current_price * quantity) as worth
from {{ ref('fct_store_sale') }}
group by item_id
