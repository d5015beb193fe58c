-- Grain: one model whose last change was followed by computing all of its rows.
select
    done.relation,
    done.number as job_number,
    done.reason,
    done.seconds
from {{ source('ops', 'model_run') }} as done
where done.status = 'success' and done.rule in ('create', 'full', 'join', 'aggregate', 'scope')
qualify
    row_number() over (partition by done.relation order by done.number desc, done.position desc) = 1
    and done.rule = 'full'
