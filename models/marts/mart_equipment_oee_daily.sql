-- Grain: one equipment unit on one day.
{{ config(unique_key=['equipment_id', 'production_date']) }}
select
    equipment_id,
    production_date,
    count(*) as runs,
    sum(pieces) as pieces,
    sum(running_seconds) / sum(planned_seconds) as availability,
    cast(sum(ideal_seconds) as double) / nullif(sum(running_seconds), 0) as performance,
    sum(inspected - rejected) / nullif(sum(inspected), 0) as quality,
    cast(sum(ideal_seconds) as double) / sum(planned_seconds) * sum(inspected - rejected) / nullif(sum(inspected), 0) as oee
from {{ ref('fct_production') }}
group by equipment_id, production_date
