{{ config(unique_key='supply_uuid') }}
select
  concat(id, '-', sku) as supply_uuid, id as supply_id, sku as product_id, name as supply_name,
  cast(cost / 100 as decimal(16, 2)) as supply_cost, perishable as is_perishable_supply
from {{ source('raw', 'raw_supplies') }}
