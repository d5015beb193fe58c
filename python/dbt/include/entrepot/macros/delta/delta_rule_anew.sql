{#- Rule `full` where columns may have changed: with the stored columns only the difference is written. -#}
{% macro delta_rule_anew(settings, upstreams, body, reason) %}
  {%- do delta_verdict_forget(upstreams, body) -%}
  {%- do delta_verdict(settings, upstreams, body) -%}
  {%- set wanted = delta_columns_of(delta_at(body, upstreams)) -%}
  {%- set stored = delta_columns_of('select * from ' ~ this) -%}
  {%- if wanted == stored -%}
    {{ return(adapter.rules_full(delta_task(settings, upstreams, body), reason)) }}
  {%- endif -%}
  {{ return(delta_rule_other_columns(settings, upstreams, body, reason, stored, wanted)) }}
{% endmacro %}
