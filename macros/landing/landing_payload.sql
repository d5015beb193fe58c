{#- SQL: the JSON of a serialised key or value without its embedded schema (`{"schema": …, "payload": …}`), digit for
    digit. -#}
{% macro landing_payload(column) -%}
if(
            {{ entrepot.landing_has_schema(column) }},
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


{#- SQL: the schema embedded in a serialised value; null where there is none, or where null or a value that is no object stands in its place. -#}
{% macro landing_embedded_schema(column) -%}
if({{ entrepot.landing_has_schema(column) }}, nullif(regexp_extract(from_json({{ column }}, 'schema string').schema, '(?s)^[{].*', 0), ''), null)
{%- endmacro %}


{#- SQL: whether a serialised key or value has its schema embedded: it has the two fields and no other, as a row with such columns has. Names are looked for as text
    first: JSON is parsed only where they stand. -#}
{% macro landing_has_schema(column) -%}
contains({{ column }}, '"payload"') and contains({{ column }}, '"schema"')
        and array_sort(array_distinct(json_object_keys({{ column }}))) = array('payload', 'schema')
{%- endmacro %}
