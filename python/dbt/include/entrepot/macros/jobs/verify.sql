{#- `dbt run-operation verify`: compares published models with their full recompute on the versions that they were made from; all
    of them, or those named. One line per model; raises at the end where one differs. Writes nothing. -#}
{% macro verify(models=[]) %}
  {%- set wanted = [models] if models is string else models -%}
  {%- set known = [] -%}
  {%- set wrong = [] -%}
  {%- if load_cached_relation(jobs_relation('published_snapshot')) -%}
    {%- do jobs_open() -%}
    {%- do jobs_state().update({'ledger': adapter.books_published()}) -%}
  {%- endif -%}
  {%- for node in graph.nodes.values() | sort(attribute='name') if node.config.enabled and jobs_keeps_up(node) -%}
    {%- set relation = jobs_node_relation(node) -%}
    {%- set published = jobs_state()['ledger'].get(relation | string) -%}
    {%- if published and published.reads and node.config.get('incremental_strategy') != 'land' and (not wanted or node.name in wanted) -%}
      {%- do known.append(node.name) -%}
      {%- do wrong.extend(verify_model(node, relation, published)) -%}
    {%- endif -%}
  {%- endfor -%}
  {%- if wanted | reject('in', known) | list or not known -%}
    {%- do exceptions.raise_compiler_error(
      'Nothing to verify: ' ~ (wanted | reject('in', known) | join(', ') or 'no model') ~ ' is kept up by delta rules and published. '
      ~ 'Run `dbt build`; models with incremental_strategy delta and commit_order snapshots can be verified.'
    ) -%}
  {%- elif wrong -%}
    {%- do exceptions.raise_compiler_error(
      wrong | join(', ') ~ (' differs' if wrong | length == 1 else ' differ') ~ ' from a full recompute, or cannot be compared. Mend: dbt build --full-refresh --select ' ~ wrong | join(' ')
    ) -%}
  {%- endif -%}
{% endmacro %}


{#- Compares one model, prints what was found, and returns its name in a list where it differs or cannot be compared. -#}
{% macro verify_model(node, relation, published) %}
  {%- set body = delta_body(relation, published.sql_hash) -%}
  {%- if not body -%}
    {%- do print(relation ~ ': CANNOT BE COMPARED, its SQL is not recorded') -%}
    {{ return([node.name]) }}
  {%- endif -%}
  {%- set shown = var('entrepot_verify_rows', 10) | int -%}
  {%- set difference = delta_difference(node, published.version, fromjson(published.reads), body) -%}
  {%- set rows = jobs_query('select * from (\n' ~ difference ~ '\n) limit ' ~ (shown + 1)) -%}
  {%- do print(relation ~ ' version ' ~ published.version ~ ': ' ~ ('equal to its full recompute' if not rows else 'DIFFERS')) -%}
  {%- for row in rows[:shown] -%}
    {%- set values = [] -%}
    {%- for name, value in row.items() if name != '_side' -%}
      {%- do values.append(name ~ '=' ~ value) -%}
    {%- endfor -%}
    {%- do print('  ' ~ row._side ~ ': ' ~ values | join(', ')) -%}
  {%- endfor -%}
  {%- if rows | length > shown -%}
    {%- do print('  and more') -%}
  {%- endif -%}
  {{ return([node.name] if rows else []) }}
{% endmacro %}
