{#- Runs a query once and keeps its rows in memory, as a temporary view that lives for the job. It is noted down first,
    because a `cache table` that fails leaves its view behind. -#}
{% macro jobs_temporary(view, sql) %}
  {%- do jobs_state()['temporary'].update({view: none}) -%}
  {%- do jobs_query('cache table ' ~ view ~ ' as\n' ~ sql) -%}
{% endmacro %}


{#- The same for rows that are few: kept on the driver, where it costs no Spark job to read them again. Whether they were few enough. Counts the
    query, and the statement by which the adapter then looks at what it has kept. -#}
{% macro jobs_keep(view, sql) %}
  {%- set state = jobs_state() -%}
  {%- set is_kept = adapter.keep_rows(view, sql) -%}
  {%- do state.update({'statements': state['statements'] + (2 if is_kept else 1)}) -%}
  {%- do state['temporary'].update({view: none}) if is_kept -%}
  {{ return(is_kept) }}
{% endmacro %}


{#- Drops temporary views of this job, and frees their rows. -#}
{% macro jobs_temporary_drop(views) %}
  {%- for view in views -%}
    {%- do jobs_query('drop view if exists ' ~ view) -%}
    {%- do jobs_state()['temporary'].pop(view) -%}
  {%- endfor -%}
{% endmacro %}


{#- A name for a temporary view about a relation: what it is, the relation's name, versions or numbers; the checksum of the full name keeps
    `a.b_c` and `a_b.c` apart. -#}
{% macro jobs_temporary_name(kind, relation, parts=[]) %}
  {%- set identifier = modules.re.sub('\\W', '_', relation.identifier) -%}
  {{ return(([kind, identifier] + parts + [local_md5(relation | string)[:8]]) | join('_')) }}
{% endmacro %}
