{{ config(materialized='view') }}
select customer_id, name from {{ source('shop', 'customer') }} where region = 'north'
