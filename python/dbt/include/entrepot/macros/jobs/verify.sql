{#- `dbt run-operation verify`: compares published models with their full recompute on the versions that they were made from; all
    of them, or those named. One line per model; raises at the end where one differs. Writes nothing. -#}
{% macro verify(models=[]) %}
  {%- set wanted = [models] if models is string else models -%}
  {%- do jobs_know() -%}
  {%- if load_cached_relation(jobs_relation('published_snapshot')) -%}
    {%- do adapter.jobs_open(jobs_relation('published_snapshot').schema) -%}
  {%- endif -%}
  {%- set known = adapter.delta_published() -%}
  {%- set wrong = [] -%}
  {%- for name in known if not wanted or name in wanted -%}
    {%- do wrong.append(name) if not verify_model(name) -%}
  {%- endfor -%}
  {%- set unknown = wanted | reject('in', known) | list -%}
  {%- if unknown or not known -%}
    {%- do exceptions.raise_compiler_error(
      (unknown | join(', ') ~ (' is' if unknown | length == 1 else ' are') ~ ' not' if unknown else 'No model is')
      ~ ' maintained by delta rules and published. ' ~ ('These are: ' ~ known | sort | join(', ') ~ '. ' if known else '')
      ~ 'Run `dbt build`; models with incremental_strategy delta and commit_order snapshots can be verified.'
    ) -%}
  {%- elif wrong -%}
    {%- do exceptions.raise_compiler_error(
      wrong | join(', ') ~ (' differs' if wrong | length == 1 else ' differ') ~ ' from a full recompute, or cannot be compared. Fix: dbt build --full-refresh --select ' ~ wrong | join(' ')
    ) -%}
  {%- endif -%}
{% endmacro %}


{#- Compares one model and prints what was found; whether it is equal to its full recompute. -#}
{% macro verify_model(name) %}
  {%- set shown = var('entrepot_verify_rows', 10) | int -%}
  {%- set proof = adapter.delta_proof(name, shown + 1) -%}
  {%- if proof.rows is none -%}
    {%- do print(proof.relation ~ ': CANNOT BE COMPARED, its SQL is not recorded') -%}
    {{ return(false) }}
  {%- endif -%}
  {%- do print(proof.relation ~ ' version ' ~ proof.version ~ ': ' ~ ('DIFFERS' if proof.rows else 'equal to its full recompute')) -%}
  {%- for row in proof.rows[:shown] -%}
    {%- set values = [] -%}
    {%- for name, value in row.items() if name != '_side' -%}
      {%- do values.append(name ~ '=' ~ value) -%}
    {%- endfor -%}
    {%- do print('  ' ~ row._side ~ ': ' ~ values | join(', ')) -%}
  {%- endfor -%}
  {%- do print('  and more') if proof.rows | length > shown -%}
  {{ return(not proof.rows) }}
{% endmacro %}
