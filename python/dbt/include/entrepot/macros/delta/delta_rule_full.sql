{#- Rule `full`: recompute, and write only what differs from the stored rows. What is not fixed (chance, ties) is written as it is, by the one
    statement that evaluates it: a comparison may have to be made twice, and would find other rows. -#}
{% macro delta_rule_full(settings, upstreams, body, reason) %}
  {{ return({
    'rule': 'full',
    'reason': reason,
    'upsert': delta_at(body, upstreams),
    'gone': 'select ' ~ settings.unique_key | join(', ') ~ ' from ' ~ this ~ ' version as of ' ~ jobs_pin(this),
    'overwrites': not delta_verdict(settings, upstreams, body).is_fixed,
    'rows_read': none,
  }) }}
{% endmacro %}


{#- Rule `full` where columns may have changed: with the stored columns only the difference is written. -#}
{% macro delta_rule_anew(settings, upstreams, body, reason) %}
  {%- do delta_verdict_forget(upstreams, body) -%}
  {%- do delta_verdict(settings, upstreams, body) -%}
  {%- set wanted = delta_columns_of(delta_at(body, upstreams)) -%}
  {%- set stored = delta_columns_of('select * from ' ~ this) -%}
  {%- if wanted == stored -%}
    {{ return(delta_rule_full(settings, upstreams, body, reason)) }}
  {%- endif -%}
  {{ return(delta_rule_other_columns(settings, upstreams, body, reason, stored, wanted)) }}
{% endmacro %}
