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
    {%- set values = [state['job'], state['number'], loop.index, relation, result.node.resource_type | string, result.status | string,
      record.get('rule') or result.node.config.materialized, record.get('reason'), record.get('apply_path'),
      record.get('rows_read'), record.get('rows_inserted'), record.get('rows_updated'), record.get('rows_deleted'),
      record.get('statements'), record.get('seconds', result.execution_time),
      state['relations'].get(relation, {}).get('version'), record.get('sql')] -%}
    {%- do rows.append('(' ~ adapter.literals(values) ~ ')') -%}
  {%- endfor -%}
  {%- if rows -%}
    {%- do jobs_query('insert into ' ~ jobs_relation('model_run') ~ ' values\n' ~ rows | join(',\n')) -%}
  {%- endif -%}
{% endmacro %}
