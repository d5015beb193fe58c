{#- Reads a small relation at a version into memory, once per job, for statements that name it several times: each mention
    of a Delta table costs Spark a job of its own before a row is read. Small is up to var `entrepot_memory_bytes`. -#}
{% macro delta_keep_small(relation, version) %}
  {%- set state = jobs_state() -%}
  {%- set key = relation ~ '@' ~ version -%}
  {%- if version is not none and key not in state['kept'] -%}
    {%- if delta_bytes(relation) <= var('entrepot_memory_bytes', 33554432) -%}
      {%- set view = jobs_temporary_name('kept', relation, [version]) -%}
      {%- do jobs_temporary(view, 'select * from ' ~ relation ~ ' version as of ' ~ version) -%}
      {%- do state['kept'].update({key: view}) -%}
    {%- else -%}
      {%- do state['kept'].update({key: none}) -%}
    {%- endif -%}
  {%- endif -%}
{% endmacro %}


{#- SQL that stands for a relation at a version: what `delta_keep_small` has in memory, else a time travel. -#}
{% macro delta_at_version(relation, version) %}
  {%- if version is none -%}
    {{ return(relation | string) }}
  {%- endif -%}
  {{ return(jobs_state()['kept'].get(relation ~ '@' ~ version) or (relation ~ ' version as of ' ~ version)) }}
{% endmacro %}


{#- Whether the running model's table is large: changes are written to it and looked up for it in other ways then. -#}
{% macro delta_is_large() %}
  {{ return(delta_bytes(this) > var('entrepot_merge_bytes', 33554432)) }}
{% endmacro %}


{#- How many bytes a Delta table has: what the newest snapshot or this job says of it, else Delta, asked once per job. -#}
{% macro delta_bytes(relation) %}
  {%- set size = jobs_size(relation) -%}
  {%- if size.get('bytes') is none -%}
    {%- set detail = jobs_query("describe detail `" ~ relation.schema ~ "`.`" ~ relation.identifier ~ "`") | first -%}
    {%- do size.update({'bytes': detail.sizeInBytes | int}) -%}
  {%- endif -%}
  {{ return(size.bytes) }}
{% endmacro %}
