{{ config(unique_key='location_id') }}
select * from {{ ref('stg_locations') }}
