-- Grain: one source in one job; one row without a source for a job that heard of none.
with

event as (
    select
        number,
        min_by(command, at) as command,
        min(at) as started_at,
        max_by(event, at) as last_event,
        max(at) as last_event_at,
        max_by(detail, at) filter (where event in ('finished', 'failed')) as failed
    from {{ source('ops', 'job_event') }}
    group by number
),

published as (
    select
        number,
        max(published_at) as published_at
    from {{ source('ops', 'published_snapshot') }}
    group by number
),

-- a job that was killed while it landed may have written its cut twice
cut as (
    select
        number,
        source_system,
        max_by(log_commit, at) as log_commit,
        max_by(committed_at, at) as committed_at,
        max_by(heard_at, at) as heard_at
    from {{ source('ops', 'source_cut') }}
    group by number, source_system
),

part as (
    select
        *,
        lag(log_commit) over before as after_log_commit,
        lag(committed_at) over before as after_committed_at
    from cut
    window before as (partition by source_system order by number)
)

select
    event.number as job_number,
    part.source_system,
    event.command,
    case
        when event.last_event in ('finished', 'failed') then event.last_event
        when event.number = max(event.number) over () then 'in progress'
        else 'abandoned'
    end as state,
    event.started_at,
    case when event.last_event in ('finished', 'failed') then event.last_event_at end as ended_at,
    published.published_at,
    part.after_log_commit,
    part.log_commit as through_log_commit,
    part.after_committed_at,
    part.committed_at as through_committed_at,
    part.heard_at,
    event.failed
from event
left join published on event.number = published.number
left join part on event.number = part.number
