{#- The choice for the running model, before its changes are read where the commits say how many there are; asked only where they are
    many, because small jobs are quick either way. A dict `reason`, in words, and `overwrites`: whether all rows are to be written as a first
    build does (`delta_may_overwrite`); else they merge, so that only differences are written. Either is compared with full runs of its
    kind. None where the rule shall run. -#}
{% macro delta_cost_reason(settings, upstreams, body, moved) %}
  {%- if settings.rule or not moved or not load_cached_relation(jobs_relation('model_run')) -%}
    {{ return(none) }}
  {%- endif -%}
  {%- set rows = moved | map(attribute='rows') | list -%}
  {%- set changes = delta_changed(moved) | map(attribute='changes') | list if none in rows else [] -%}
  {%- set rows_read = (changes | map(attribute='plus') | sum + changes | map(attribute='minus') | sum) if none in rows else rows | sum -%}
  {%- if rows_read < var('entrepot_cost_rows', 10000) | int or delta_verdict(settings, upstreams, body).rule == 'full' -%}
    {{ return(none) }}
  {%- endif -%}
  {%- set appends = not moved | rejectattr('appends') | list -%}
  {%- set reason = delta_cost_compare(upstreams, rows_read, delta_cost_runs(this, true), appends) -%}
  {%- set stored = jobs_size(this).get('row_count') -%}
  {%- if reason and delta_may_overwrite(model, [rows_read, 2 * stored] | min if stored is not none else rows_read) -%}
    {{ return({'reason': reason, 'overwrites': true}) }}
  {%- elif not delta_built_on(model) -%}
    {{ return(none) }}
  {%- endif -%}
  {%- set reason = delta_cost_compare(upstreams, rows_read, delta_cost_runs(this, false), appends) -%}
  {{ return({'reason': reason, 'overwrites': false} if reason else none) }}
{% endmacro %}


{#- `adapter.rules_cost_choice` for the running model. Its upstreams are counted only where that may matter: not where the rule is cheaper with the tables as
    small as they were, nor where a full run would have to read or write more rows than have changed as far as is known. -#}
{% macro delta_cost_compare(upstreams, rows_read, runs, appends) %}
  {%- set is_measured = runs | rejectattr('rule', 'in', ['create', 'full']) | list -%}
  {%- if is_measured and not adapter.rules_cost_choice(rows_read, none, runs, appends) -%}
    {{ return(none) }}
  {%- elif not is_measured and rows_read <= delta_rows_at_least(upstreams) -%}
    {{ return(none) }}
  {%- endif -%}
  {{ return(adapter.rules_cost_choice(rows_read, delta_row_count(upstreams), runs, appends)) }}
{% endmacro %}


{#- What runs of a relation cost, newest first: those by rule, and the full ones that wrote all rows (`overwrites`) or merged. Read once per
    job for all models and snapshots in it, and once for each other relation. -#}
{% macro delta_cost_runs(relation, overwrites) %}
  {%- set known = jobs_state().setdefault('cost_runs', {}) -%}
  {%- set key = relation | string -%}
  {%- if key not in known -%}
    {%- do known.update({key: []}) -%}
    {%- set asked = [key] -%}
    {%- for unique_id in selected_resources if unique_id in graph.nodes and jobs_keeps_up(graph.nodes[unique_id]) -%}
      {%- set other = jobs_node_relation(graph.nodes[unique_id]) | string -%}
      {%- if other not in known -%}
        {%- do known.update({other: []}) -%}
        {%- do asked.append(other) -%}
      {%- endif -%}
    {%- endfor -%}
    {%- for run in adapter.books_cost_runs(asked) -%}
      {%- do known[run.relation].append(run) -%}
    {%- endfor -%}
  {%- endif -%}
  {%- set runs = [] -%}
  {%- for run in known[key] if run.rule not in ['create', 'full'] or (run.apply_path in ['create', 'overwrite']) == overwrites -%}
    {%- do runs.append(run) -%}
  {%- endfor -%}
  {{ return(runs) }}
{% endmacro %}


{#- How many rows a full run has to read or to write at least, as far as it is known without asking. -#}
{% macro delta_rows_at_least(upstreams) %}
  {%- set rows = [jobs_size(this).get('row_count') or 0] -%}
  {%- for upstream in upstreams -%}
    {%- do rows.append(jobs_size(upstream.relation).get('row_count') or 0) -%}
  {%- endfor -%}
  {{ return(rows | max) }}
{% endmacro %}


{#- How many rows some upstreams have together at their pinned versions; none where one has no versions. What the newest snapshot or this job does
    not say, Delta answers from its log, in one statement a job. -#}
{% macro delta_row_count(upstreams) %}
  {%- set unknown = [] -%}
  {%- for upstream in upstreams -%}
    {%- if jobs_pin(upstream.relation) is none -%}
      {{ return(none) }}
    {%- elif jobs_size(upstream.relation).get('row_count') is none -%}
      {%- do unknown.append(upstream.relation) -%}
    {%- endif -%}
  {%- endfor -%}
  {%- set selects = [] -%}
  {%- for relation in unknown -%}
    {%- do selects.append('(select count(*) from ' ~ relation ~ ' version as of ' ~ jobs_pin(relation) ~ ') as rows_' ~ loop.index) -%}
  {%- endfor -%}
  {%- set counted = jobs_query('select ' ~ selects | join(', ')) | first if unknown else {} -%}
  {%- for relation in unknown -%}
    {%- do jobs_size(relation).update({'row_count': counted['rows_' ~ loop.index] | int}) -%}
  {%- endfor -%}
  {%- set rows = [] -%}
  {%- for upstream in upstreams -%}
    {%- do rows.append(jobs_size(upstream.relation).row_count) -%}
  {%- endfor -%}
  {{ return(rows | sum) }}
{% endmacro %}
