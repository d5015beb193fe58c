-- Grain: one region. Reads tables without versions, so it is recomputed whole, and what differs is written.
{{ config(unique_key='region', delta_rule='join') }}
select revenue.region, revenue.revenue, target.target
from {{ ref('revenue_by_region') }} as revenue
inner join {{ ref('region') }} as region on revenue.region = region.region
inner join {{ source('shop', 'region_target') }} as target on revenue.region = target.region
