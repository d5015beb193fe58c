{#- Rule `full`: recompute, and write only what differs from the stored rows. -#}
{% macro delta_rule_full(settings, upstreams, body, reason) %}
  {{ return({
    'rule': 'full',
    'reason': reason,
    'upsert': delta_at(body, upstreams),
    'gone': 'select ' ~ settings.unique_key | join(', ') ~ ' from ' ~ this ~ ' version as of ' ~ jobs_pin(this),
    'rows_read': none,
  }) }}
{% endmacro %}
