{{ config(unique_key='supply_uuid') }}
select * from {{ ref('stg_supplies') }}
