{#- Whether a full recompute is cheaper than the rule that was chosen (OD-ETL ch. 8: the incremental join loses above some share of
    changes): a reason in words, none where the rule shall run. `runs` are this model's recorded runs, newest first, dicts `rule`,
    `rows_read` and `seconds`. Pure: the same numbers give the same answer.

    A run by rule costs a fixed part and a part per changed row, taken from the recorded runs (fixed: the quickest; per row: the
    steepest of the others). Nothing recorded, no choice: the rule runs, and the next time is measured. -#}
{% macro delta_cost_choice(rows_read, runs) %}
  {%- set full = [] -%}
  {%- set by_rule = [] -%}
  {%- for run in runs -%}
    {%- if run.rule in ['create', 'full'] -%}
      {%- do full.append(run.seconds) -%}
    {%- elif run.rows_read -%}
      {%- do by_rule.append(run) -%}
    {%- endif -%}
  {%- endfor -%}
  {%- if not full or not by_rule -%}
    {{ return(none) }}
  {%- endif -%}
  {%- set fixed = by_rule | map(attribute='seconds') | min -%}
  {%- set slopes = [] -%}
  {%- for run in by_rule -%}
    {%- do slopes.append((run.seconds - fixed) / run.rows_read) -%}
  {%- endfor -%}
  {%- set expected = fixed + slopes | max * rows_read -%}
  {%- if expected <= full[0] -%}
    {{ return(none) }}
  {%- endif -%}
  {{ return(rows_read ~ ' changed rows would take about ' ~ expected | round(1) ~ ' s, all rows ' ~ full[0] | round(1) ~ ' s') }}
{% endmacro %}


{#- The choice for the running model; asked only where the changes are many, because small jobs are quick either way. -#}
{% macro delta_cost_reason(rows_read) %}
  {%- if (rows_read or 0) < var('entrepot_cost_rows', 10000) | int or not load_cached_relation(entrepot.jobs_relation('model_run')) -%}
    {{ return(none) }}
  {%- endif -%}
  {%- set runs = entrepot.jobs_query(
    'select rule, rows_read, seconds from ' ~ entrepot.jobs_relation('model_run') ~ ' where relation = ' ~ entrepot.jobs_literal(this | string)
    ~ " and status = 'success' and rule in ('create', 'full', 'join', 'aggregate', 'scope') order by number desc limit 20"
  ) -%}
  {{ return(entrepot.delta_cost_choice(rows_read, runs)) }}
{% endmacro %}
