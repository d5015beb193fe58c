{#- The checked configuration of a model with `incremental_strategy: delta`, as a dict. Raises before any SQL runs.
      unique_key   list of the model's key columns
      rule         join, aggregate, scope or full (config `delta_rule`); none where the analyzer is to choose (`delta_verdict`)
      scope        {upstream name: [its columns]}, config `scope`
      scope_key    the model's columns that correspond to them, config `scope_key` (default: unique_key)
      strict       whether rule full is refused, and with it what has no one right result, config `strict`
      total_order  whether every order by is known to tell all rows apart, config `total_order`
      deterministic whether functions that are not Spark's own are known to give the same for the same values, config `deterministic` -#}
{% macro delta_settings() %}
  {%- set unique_key = config.get('unique_key') -%}
  {%- set unique_key = [unique_key] if unique_key is string else (unique_key or []) -%}
  {%- set scope = config.get('scope') or {} -%}
  {%- set rule = config.get('delta_rule') -%}
  {%- set scope_key = config.get('scope_key') or unique_key -%}
  {%- set scope_key = [scope_key] if scope_key is string else scope_key -%}
  {%- if not unique_key -%}
    {%- do delta_error("has no unique_key", "the delta strategy replaces rows by their key",
      "config(unique_key='order_id') or config(unique_key=['order_id', 'line_number'])") -%}
  {%- endif -%}
  {%- if config.get('file_format') != 'delta' -%}
    {%- do delta_error("has " ~ ("file_format " ~ config.get('file_format') if config.get('file_format') else "no file_format"), "the delta strategy needs Delta tables", "config(file_format='delta')") -%}
  {%- endif -%}
  {%- if rule and rule not in ['join', 'aggregate', 'scope', 'full'] -%}
    {%- do delta_error("has delta_rule '" ~ rule ~ "'", "join, aggregate, scope and full are accepted", "config(delta_rule='join')") -%}
  {%- endif -%}
  {%- do delta_on_schema_change() -%}
  {%- for name, columns in scope.items() -%}
    {%- if columns is string or columns | length != scope_key | length -%}
      {%- do delta_error("has scope " ~ name ~ ": " ~ columns, "a list with one upstream column for each of " ~ scope_key ~ " is accepted",
        "config(scope={'" ~ name ~ "': [" ~ scope_key | length ~ " columns]}, scope_key=[…])") -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return({
    'unique_key': unique_key, 'rule': rule, 'scope': scope, 'scope_key': scope_key, 'strict': config.get('strict', false), 'total_order': config.get('total_order', false),
    'deterministic': config.get('deterministic', false),
  }) }}
{% endmacro %}


{#- Raises a compiler error in three parts: what was given, what is accepted, how to go on. -#}
{% macro delta_error(given, accepted, example) %}
  {%- do exceptions.raise_compiler_error(
    "Model " ~ model.name ~ " " ~ given ~ ": " ~ accepted ~ ". For example: " ~ example ~ ". See docs/delta-rules.md."
  ) -%}
{% endmacro %}
