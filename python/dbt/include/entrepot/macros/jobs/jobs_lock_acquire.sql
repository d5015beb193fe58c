{#- Takes the chain's lock: one job at a time. The lock is the newest row of `ops.job_event`; a job that neither
    finished nor sent a heartbeat for `entrepot_lock_minutes` is taken for dead. An embedded metastore (Derby)
    admits one process only, so there an unfinished job is dead at once. -#}
{% macro jobs_lock_acquire() %}
  {%- set state = jobs_state() -%}
  {%- set table = jobs_relation('job_event') -%}
  {%- set embedded = jobs_metastore_is_embedded() -%}
  {%- set last = jobs_query(
    "select job, number, event, owner, cast(at as string) as at, "
    ~ "at > current_timestamp() - make_interval(0, 0, 0, 0, 0, " ~ var('entrepot_lock_minutes', 10) ~ ", 0) as fresh "
    ~ "from " ~ table ~ " order by number desc, at desc limit 1"
  ) | first -%}
  {%- set number = (last.number | int + 1) if last else 1 -%}
  {%- if last and last.event in ['started', 'heartbeat'] -%}
    {%- if last.fresh and not embedded -%}
      {%- do exceptions.raise_compiler_error(
        "Job " ~ last.number ~ " of " ~ last.owner ~ " is running on this warehouse (last heartbeat " ~ last.at ~ " UTC). "
        ~ "One job runs at a time: wait until it has finished. If its process is dead, the lock ends by itself "
        ~ var('entrepot_lock_minutes', 10) ~ " minutes after the last heartbeat (var entrepot_lock_minutes)."
      ) -%}
    {%- endif -%}
    {%- do log("Job " ~ last.number ~ " was killed; this job contains its changes.", info=True) -%}
  {%- endif -%}
  {%- do state.update({'after_failure': last and last.event != 'finished'}) -%}
  {%- do state.update({'number': number, 'locked': true, 'heartbeat_at': modules.datetime.datetime.utcnow()}) -%}
  {%- do jobs_query(
    "insert into " ~ table ~ " select '" ~ state['job'] ~ "', " ~ number ~ ", 'started', current_user(), '"
    ~ flags.WHICH ~ "', current_timestamp(), null from (select max(number) as number from " ~ table ~ ") as newest "
    ~ "where newest.number <=> " ~ (last.number | int if last else 'null')
  ) -%}
  {%- if not embedded -%}
    {%- set winner = jobs_query("select job, owner from " ~ table ~ " where number = " ~ number) | first -%}
    {%- if winner.job != state['job'] -%}
      {%- do state.update({'locked': false}) -%}
      {%- do exceptions.raise_compiler_error(
        "Job " ~ number ~ " of " ~ winner.owner ~ " started at the same moment. One job runs at a time: wait until it has finished."
      ) -%}
    {%- endif -%}
  {%- endif -%}
{% endmacro %}


{#- Keeps the lock fresh; at most once a minute. Raises where another job has taken it since: this one was silent for too long. -#}
{% macro jobs_heartbeat() %}
  {%- set state = jobs_state() -%}
  {%- set now = modules.datetime.datetime.utcnow() -%}
  {%- if state.get('locked') and (now - state['heartbeat_at']).total_seconds() > 60 -%}
    {%- set newest = (jobs_query("select max(number) as number from " ~ jobs_relation('job_event')) | first).number | int -%}
    {%- if newest > state['number'] -%}
      {%- do state.update({'locked': false}) -%}
      {%- do exceptions.raise_compiler_error(
        "Job " ~ state['number'] ~ " gave no sign of life for more than " ~ var('entrepot_lock_minutes', 10) ~ " minutes, and job " ~ newest
        ~ " has taken over. Nothing more is written, and nothing published; raise var entrepot_lock_minutes above the time of the longest model and run it again."
      ) -%}
    {%- endif -%}
    {%- do state.update({'heartbeat_at': now}) -%}
    {%- do jobs_event('heartbeat', none) -%}
  {%- endif -%}
{% endmacro %}


{#- Appends one row to `ops.job_event`. -#}
{% macro jobs_event(event, detail) %}
  {%- set state = jobs_state() -%}
  {%- do jobs_query(
    "insert into " ~ jobs_relation('job_event') ~ " values ('" ~ state['job'] ~ "', " ~ state['number'] ~ ", '" ~ event
    ~ "', current_user(), '" ~ flags.WHICH ~ "', current_timestamp(), " ~ adapter.literal(detail) ~ ")"
  ) -%}
{% endmacro %}


{#- Whether the metastore is an embedded Derby, which lets in one process only: its URL is set (Spark shows it redacted),
    and no other driver. -#}
{% macro jobs_metastore_is_embedded() %}
  {%- set found = {} -%}
  {%- for key in ['javax.jdo.option.ConnectionURL', 'javax.jdo.option.ConnectionDriverName', 'hive.metastore.uris'] -%}
    {%- set value = (jobs_query("set spark.hadoop." ~ key) | first).value -%}
    {%- do found.update({key: none if value == '<undefined>' else value}) -%}
  {%- endfor -%}
  {%- set driver = found['javax.jdo.option.ConnectionDriverName'] -%}
  {{ return(
    found['javax.jdo.option.ConnectionURL'] is not none and found['hive.metastore.uris'] is none
    and (driver is none or 'derby' in driver)
  ) }}
{% endmacro %}
