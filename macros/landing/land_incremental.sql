{#- The flow of `incremental_strategy: land`: rows of what has arrived since the last job are appended. The model is a
    plain SELECT on `landing_record`, in whose place it reads this job's batch; `land_kind` says which of its records
    concern the model (change, rejected, control, file; `version` where the model itself knows). -#}
{% macro land_incremental() %}
  {%- do jobs_know() -%}
  {%- set run = adapter.jobs_begin_run() -%}
  {{ run_hooks(pre_hooks) }}
  {%- set batch = entrepot.landing_batch() -%}
  {%- set kind = config.require('land_kind') -%}
  {%- set arrived = batch.counts.get('change' if kind == 'version' else kind, 0) -%}
  {%- set existing = load_cached_relation(this) -%}
  {%- if arrived or not existing -%}
    {%- set sql = adapter.jobs_at_hand(model, entrepot.landing_on_batch(compiled_code, batch, config.get('land_from_start') and existing)) -%}
  {%- endif -%}
  {%- set plan = {'rule': 'land', 'reason': batch.counts.get('file', 0) ~ ' files', 'path': 'insert', 'rows_read': arrived} -%}
  {%- set new_columns = adapter.jobs_missing_columns(model) if existing else [] -%}
  {%- if new_columns -%}
    {%- do entrepot.landing_write('alter table ' ~ this ~ ' add columns (' ~ new_columns | join(', ') ~ ')') -%}
  {%- endif -%}
  {#- few records, if any, show a version that is not known yet; rows that come to the driver say so themselves -#}
  {%- set appended = adapter.jobs_append_few(model, sql, arrived) if existing and arrived and not new_columns else none -%}
  {%- if appended -%}
    {%- set lands = kind != 'version' or appended.rows.inserted -%}
  {%- else -%}
    {%- set lands = existing and arrived and (kind != 'version' or jobs_query('select 1 from (\n' ~ sql ~ '\n) limit 1')) -%}
  {%- endif -%}
  {%- if not existing -%}
    {%- do plan.update({'rule': 'create', 'reason': 'first build', 'path': 'create'}) -%}
    {%- do entrepot.landing_write(create_table_as(False, this, sql)) -%}
  {%- elif lands -%}
    {%- do plan.update({'appended': appended}) if appended else entrepot.landing_write('insert into ' ~ this ~ ' by name\n' ~ sql) -%}
  {%- elif new_columns -%}
    {%- do plan.update({'reason': 'new columns', 'path': none, 'rows_read': 0}) -%}
  {%- else -%}
    {%- do plan.update({'rule': 'skip', 'reason': 'nothing arrived', 'path': none, 'rows_read': 0}) -%}
  {%- endif -%}
  {#- the changes of all that has been read are in their table now -#}
  {%- do adapter.landing_note_cuts() if config.get('land_from_start') -%}
  {%- do jobs_end_run(run, plan, none if plan.rule == 'skip' else jobs_written(this)) -%}
  {{ run_hooks(post_hooks) }}
  {%- do adapter.jobs_hooks_done(this) if post_hooks -%}
  {{ return({'relations': [this]}) }}
{% endmacro %}


{#- The model's SQL with this job's batch in place of `landing_record`, its files in place of `arrived_file`, and, where it is asked for, what the
    batch can meet of the stored change events in place of `this`. -#}
{% macro landing_on_batch(sql, batch, from_start=false) %}
  {%- if batch.view is none -%}
    {#- what arrives from now on is the next job's: each model would find it, or not, by itself -#}
    {{ return('select * from (\n' ~ sql ~ '\n) where false') }}
  {%- endif -%}
  {%- set places = {
    jobs_named_relation('landing_record', 'landing (docs/architecture.md)'): batch.view,
    jobs_named_relation('arrived_file', 'landing (docs/architecture.md)'): batch.files,
  } -%}
  {%- if from_start -%}
    {%- set stored = adapter.jobs_at_hand(model, entrepot.landing_stored_events(this, batch.starts)) -%}
    {%- do places.update({this: adapter.jobs_cache('landing_stored', entrepot.landing_in_one(stored, batch.is_small))}) -%}
  {%- endif -%}
  {{ return(adapter.sql_substitute(sql, places)) }}
{% endmacro %}


{#- Runs a statement that writes `this`; the commit says which job it was. -#}
{% macro landing_write(sql) %}
  {%- do adapter.jobs_say(this) -%}
  {%- do jobs_query(sql) -%}
  {%- do adapter.jobs_say_nothing() -%}
{% endmacro %}
