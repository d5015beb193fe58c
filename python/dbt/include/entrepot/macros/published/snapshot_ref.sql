{#- What `ref` stands for, as a finished job has published it: a table at its version, a view as its text over tables at their versions.
    Of the newest snapshot that has all that the node reads, or of the one named: the number of a job, or what `entrepot pin` has kept. For
    analyses, `dbt show`, tests, and models that export (docs/reading.md). -#}
{% macro snapshot_ref(name, snapshot=none, package=none) %}
  {%- set named = ref(name) if package is none else ref(package, name) -%}
  {%- if not execute -%}
    {{ return(named) }}
  {%- endif -%}
  {%- do jobs_know() -%}
  {%- if load_cached_relation(jobs_relation('published_snapshot')) -%}
    {%- do adapter.jobs_open(jobs_relation('published_snapshot').schema) -%}
  {%- endif -%}
  {{ return(adapter.published_text(model, named, snapshot)) }}
{% endmacro %}
