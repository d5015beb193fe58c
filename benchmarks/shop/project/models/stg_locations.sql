{{ config(unique_key='location_id') }}
select id as location_id, name as location_name, tax_rate, date_trunc('day', opened_at) as opened_date
from {{ source('raw', 'raw_stores') }}
