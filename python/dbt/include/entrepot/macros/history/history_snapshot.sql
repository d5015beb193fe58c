{#- The flow of snapshots with `strategy: commit_order`: every version of every business key of a mapped model, in the
    order of its commits. It is the `scope` rule with the business key: the keys of new events are recomputed from all
    of their events, so late and out-of-order events repair what is stored. -#}
{% macro history_snapshot() %}
  {%- set log = history_log() -%}
  {%- set keys = config.require('unique_key') -%}
  {%- set keys = [keys] if keys is string else keys -%}
  {{ run_hooks(pre_hooks, inside_transaction=False) }}
  {%- set untracked = history_untracked(keys) -%}
  {%- set attributes = history_attributes(log, keys + untracked) -%}
  {%- set survivorship = adapter.history_survivorship(model, attributes + untracked) -%}
  {%- set versions = history_versions(compiled_code, keys, attributes, untracked, survivorship) -%}
  {%- do delta_refresh(adapter.history_settings(model, log, keys), versions, "op = 't' and " ~ history_has_place('commit_position')) -%}
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


{#- The attributes whose changes make no version: config `untracked`. -#}
{% macro history_untracked(keys) %}
  {%- set untracked = config.get('untracked') or [] -%}
  {%- set untracked = [untracked] if untracked is string else untracked -%}
  {%- set twice = untracked | select('in', keys + (config.get('attributes') or [])) | list -%}
  {%- if twice -%}
    {%- do history_error('names ' ~ twice | join(', ') ~ ' twice', 'an attribute is part of the key, or makes a version, or is untracked',
      "config(attributes=['name', 'price'], untracked=['phone'])") -%}
  {%- endif -%}
  {{ return(untracked) }}
{% endmacro %}


{#- The attributes that make a version: config `attributes`, else those of the entity that the mapped model maps to, without
    `others`: the key, and what is untracked. -#}
{% macro history_attributes(log, others) %}
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
  {{ return(attributes | reject('in', others) | list) }}
{% endmacro %}


{#- Raises a compiler error in three parts: what was given, what is accepted, how to go on. -#}
{% macro history_error(given, accepted, example) %}
  {%- do exceptions.raise_compiler_error(
    "Model " ~ model.name ~ " " ~ given ~ ": " ~ accepted ~ ". For example: " ~ example ~ ". See docs/history.md."
  ) -%}
{% endmacro %}
