{#- The flow of snapshots with `strategy: commit_order`: every version of every business key of a mapped model, in the
    order of its commits. It is the `scope` rule with the business key: the keys of new events are recomputed from all
    of their events, so late and out-of-order events repair what is stored. -#}
{% macro history_snapshot() %}
  {%- set log = history_log() -%}
  {%- set keys = config.require('unique_key') -%}
  {%- set keys = [keys] if keys is string else keys -%}
  {{ run_hooks(pre_hooks, inside_transaction=False) }}
  {%- do delta_refresh(
    adapter.history_settings(model, log, keys), history_versions(compiled_code, keys, history_attributes(log, keys)), "op = 't'"
  ) -%}
  {{ run_hooks(post_hooks, inside_transaction=False) }}
  {%- do adapter.jobs_hooks_done(this) if post_hooks -%}
  {{ return({'relations': [this]}) }}
{% endmacro %}


{#- The one mapped model that a commit_order snapshot reads. -#}
{% macro history_log() %}
  {%- do jobs_know() -%}
  {%- set logs = adapter.jobs_upstreams(model) | list -%}
  {%- if logs | length != 1 -%}
    {%- do history_error('reads ' ~ (logs | map(attribute='name') | join(', ') or 'nothing'), 'a commit_order snapshot is a select from one mapped model',
      "select * from ref('mapped_customer')") -%}
  {%- endif -%}
  {{ return(logs[0]) }}
{% endmacro %}


{#- The entity's attributes besides the key: config `attributes`, else those of the entity that the mapped model maps to. -#}
{% macro history_attributes(log, keys) %}
  {%- set attributes = config.get('attributes') -%}
  {%- if not attributes -%}
    {%- set node = graph.nodes.get(log.unique_id) -%}
    {%- set mapped = jobs_project_macro('mapping_attributes_of_model') -%}
    {%- set entity = mapped(log, node.config) if mapped and node else none -%}
    {%- if not entity -%}
      {%- do history_error('has no attributes', 'the columns of the images that make a version are needed, and ' ~ log.name ~ ' names no entity in its config',
        "config(attributes=['name', 'price'])") -%}
    {%- endif -%}
    {%- set attributes = entity | map(attribute='name') | list -%}
  {%- endif -%}
  {{ return(attributes | reject('in', keys) | list) }}
{% endmacro %}


{#- Raises a compiler error in three parts: what was given, what is accepted, how to go on. -#}
{% macro history_error(given, accepted, example) %}
  {%- do exceptions.raise_compiler_error(
    "Model " ~ model.name ~ " " ~ given ~ ": " ~ accepted ~ ". For example: " ~ example ~ ". See docs/delta-rules.md."
  ) -%}
{% endmacro %}
