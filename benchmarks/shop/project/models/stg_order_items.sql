{{ config(unique_key='order_item_id') }}
select id as order_item_id, order_id, sku as product_id
from {{ source('raw', 'raw_items') }}
