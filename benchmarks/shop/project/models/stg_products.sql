{{ config(unique_key='product_id') }}
select
  sku as product_id, name as product_name, type as product_type, description as product_description,
  cast(price / 100 as decimal(16, 2)) as product_price, type = 'jaffle' as is_food_item, type = 'beverage' as is_drink_item
from {{ source('raw', 'raw_products') }}
