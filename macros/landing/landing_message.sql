{#- SQL: what a line says, a struct of destination, key and value; null where it is no JSON object, or not one alone. JSON readers stop at an
    object's end and say nothing of the rest, so the line is read as the first of two elements, and the second has to be what was put there. -#}
{% macro landing_message(line, offset) -%}
transform(
            array(from_json(
                concat('[', {{ line }}, ',{"_line":"', {{ offset }}, '"}]'),
                'array<struct<destination string, key string, value string, _line string>>'
            )),
            messages -> if(size(messages) = 2 and get(messages, 1)._line = {{ offset }}, get(messages, 0), null)
        )[0]
{%- endmacro %}


{#- SQL: why `landing_message` could not read a line. -#}
{% macro landing_broken_line(line) -%}
if(
                from_json({{ line }}, 'destination string, _broken string', map('columnNameOfCorruptRecord', '_broken'))._broken is null
                and json_object_keys({{ line }}) is not null,
                'text_after_record', 'broken_json'
            )
{%- endmacro %}
