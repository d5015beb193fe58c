{#- Rule `full`: recompute, and write only what differs from the stored rows. -#}
{% macro delta_rule_full(settings, upstreams, body, reason) %}
  {{ return({
    'rule': 'full',
    'reason': reason,
    'upsert': entrepot.delta_at(body, upstreams),
    'gone': 'select ' ~ settings.unique_key | join(', ') ~ ' from ' ~ this ~ ' version as of ' ~ entrepot.jobs_pin(this),
    'rows_read': none,
  }) }}
{% endmacro %}


{#- Rule `full` where columns may have changed: with the stored columns only the difference is written. -#}
{% macro delta_rule_anew(settings, upstreams, body, reason) %}
  {%- do entrepot.delta_verdict_forget(upstreams, body) -%}
  {%- do entrepot.delta_verdict(settings, upstreams, body) -%}
  {%- set wanted = entrepot.delta_columns_of(entrepot.delta_at(body, upstreams)) -%}
  {%- set stored = entrepot.delta_columns_of('select * from ' ~ this) -%}
  {%- if wanted == stored -%}
    {{ return(entrepot.delta_rule_full(settings, upstreams, body, reason)) }}
  {%- endif -%}
  {{ return(entrepot.delta_rule_other_columns(settings, upstreams, body, reason, stored, wanted)) }}
{% endmacro %}
