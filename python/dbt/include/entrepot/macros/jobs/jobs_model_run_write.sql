{#- Appends this job's model runs to `ops.model_run`: our own records where the model made one, else what dbt knows. -#}
{% macro jobs_model_run_write(results) %}
  {%- set state = jobs_state() -%}
  {%- set records = {} -%}
  {%- for record in state['runs'] -%}
    {%- do records.update({record.unique_id: record}) -%}
  {%- endfor -%}
  {%- set rows = [] -%}
  {%- for result in results if result.node.resource_type in ['model', 'seed', 'snapshot'] -%}
    {%- set record = records.get(result.node.unique_id, {}) -%}
    {%- set relation = jobs_node_relation(result.node) | string -%}
    {%- do rows.append({
      'job': state['job'], 'number': state['number'], 'position': loop.index, 'relation': relation,
      'resource_type': result.node.resource_type | string, 'status': result.status | string,
      'rule': record.get('rule') or result.node.config.materialized, 'reason': record.get('reason'), 'apply_path': record.get('apply_path'),
      'rows_read': record.get('rows_read'), 'rows_inserted': record.get('rows_inserted'),
      'rows_updated': record.get('rows_updated'), 'rows_deleted': record.get('rows_deleted'),
      'statements': record.get('statements'), 'seconds': record.get('seconds', result.execution_time),
      'version': state['relations'].get(relation, {}).get('version'), 'sql': record.get('sql'),
    }) -%}
  {%- endfor -%}
  {%- do adapter.books_note_runs(rows) -%}
{% endmacro %}
