{#- SQL: what a line says, a struct of destination, key, value and encoding; null where it is no JSON object, or not one alone. -#}
{% macro landing_message(line, offset) -%}
{{ entrepot.landing_one_object(line, offset, 'destination string, key string, value string, encoding string') }}
{%- endmacro %}


{#- SQL: JSON as a struct of some fields; null where it is no JSON object, or not one alone, or where a field has another type. JSON readers stop at an
    object's end and say nothing of the rest, so the JSON is read as the first of two elements, and the second has to be what was put there. -#}
{% macro landing_one_object(json, offset, fields) -%}
transform(
            array(from_json(
                concat('{"both":[', {{ json }}, ',{"_line":"', {{ offset }}, '"}]}'),
                'both array<struct<{{ fields }}, _line string>>, _broken string',
                map('columnNameOfCorruptRecord', '_broken', {{ entrepot.landing_json_options() }})
            )),
            read -> if(read._broken is null and size(read.both) = 2 and get(read.both, 1)._line = {{ offset }}, get(read.both, 0), null)
        )[0]
{%- endmacro %}


{#- SQL: why `landing_message` could not read a line. -#}
{% macro landing_broken_line(line) -%}
if({{ entrepot.landing_is_broken(line) }}, 'broken_json', 'text_after_record')
{%- endmacro %}
