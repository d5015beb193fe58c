-- Grain: one model, seed or snapshot in one job.
select
    done.number as job_number,
    done.position,
    done.relation,
    done.resource_type,
    done.status,
    done.rule,
    done.reason,
    done.apply_path,
    done.rows_read,
    done.rows_inserted,
    done.rows_updated,
    done.rows_deleted,
    done.statements,
    done.seconds,
    last_value(if(done.rule in ('create', 'full') and done.status = 'success', done.seconds, null)) ignore nulls over (
        partition by done.relation order by done.number, done.position rows between unbounded preceding and current row
    ) as seconds_of_full,
    done.version,
    done.started_at
from {{ source('ops', 'model_run') }} as done
