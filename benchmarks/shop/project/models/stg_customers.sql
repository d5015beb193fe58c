{{ config(unique_key='customer_id') }}
select id as customer_id, name as customer_name
from {{ source('raw', 'raw_customers') }}
