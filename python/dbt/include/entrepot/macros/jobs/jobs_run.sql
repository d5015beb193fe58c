{#- Opens the record of one model's run; closed by `jobs_run_end`. -#}
{% macro jobs_run_start() %}
  {{ return({'started_at': modules.datetime.datetime.utcnow(), 'statements': adapter.statements_sent()}) }}
{% endmacro %}


{#- Records a run for `ops.model_run` and gives dbt its line: rule, rows in and out. `commit` is the row of
    `describe history` that the run made, none where nothing was written. -#}
{% macro jobs_run_end(run, plan, commit) %}
  {%- set state = jobs_state() -%}
  {%- set metrics = fromjson(commit.operationMetrics, {}) if commit else {} -%}
  {%- set written = plan.get('written') or {
    'inserted': metrics.get('numTargetRowsInserted') or metrics.get('numOutputRows') or 0,
    'updated': metrics.get('numTargetRowsUpdated', 0),
    'deleted': metrics.get('numTargetRowsDeleted', 0),
  } -%}
  {%- set record = {
    'relation': this | string,
    'unique_id': model.unique_id,
    'rule': plan.rule,
    'reason': plan.reason,
    'apply_path': plan.get('path'),
    'sql': plan.get('sql'),
    'rows_read': plan.rows_read,
    'rows_inserted': written.inserted | int,
    'rows_updated': written.updated | int,
    'rows_deleted': written.deleted | int,
    'statements': adapter.statements_sent() - run.statements,
    'seconds': (modules.datetime.datetime.utcnow() - run.started_at).total_seconds(),
  } -%}
  {%- do state['runs'].append(record) -%}
  {%- if commit and this | string in state['relations'] -%}
    {%- do state['relations'][this | string].update({'written': {
      'rows': record.rows_inserted + 2 * record.rows_updated + record.rows_deleted + plan.get('rows_replaced', 0),
      'appends': record.apply_path == 'insert', 'overwrites': record.apply_path == 'overwrite',
    }}) -%}
  {%- endif -%}
  {%- set is_whole = record.rows_read is none or record.rule in ['create', 'full'] -%}
  {%- set message = record.rule ~ (':' if is_whole else ': ' ~ record.rows_read ~ ' in')
    ~ ' +' ~ record.rows_inserted ~ ' ~' ~ record.rows_updated ~ ' -' ~ record.rows_deleted -%}
  {%- do store_raw_result(
    name='main', message='unchanged' if record.rule == 'skip' else message, code=record.rule,
    rows_affected=record.rows_inserted + record.rows_updated + record.rows_deleted
  ) -%}
{% endmacro %}
