{#- SQL: the JSON of a serialised key or value without its embedded schema (`{"schema": …, "payload": …}`). -#}
{% macro landing_payload(column) -%}
if(
            array_contains(json_object_keys({{ column }}), 'schema') and array_contains(json_object_keys({{ column }}), 'payload'),
            from_json({{ column }}, 'payload string').payload,
            {{ column }}
        )
{%- endmacro %}
