{#- SQL: the JSON of a serialised key or value without its embedded schema (`{"schema": …, "payload": …}`), digit for
    digit. -#}
{% macro landing_payload(column) -%}
if(
            array_contains(json_object_keys({{ column }}), 'schema') and array_contains(json_object_keys({{ column }}), 'payload'),
            if(
                {{ column }} rlike {{ entrepot.landing_inexact_number() }},
                {{ entrepot.landing_unmarked(entrepot.landing_payload_of(entrepot.landing_marked_numbers(column))) }},
                {{ entrepot.landing_payload_of(column) }}
            ),
            {{ column }}
        )
{%- endmacro %}


{#- SQL: the field `payload` of JSON. -#}
{% macro landing_payload_of(json) -%}
from_json({{ json }}, 'payload string', map({{ entrepot.landing_json_options() }})).payload
{%- endmacro %}
