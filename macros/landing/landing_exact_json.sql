{#- SQL: the images of an event with inexact numbers in marks, a struct; null where there are none: Spark's `from_json` hands numbers
    with a fraction or an exponent on as doubles, 1.10 as 1.1 and 1e400 as Infinity, and -0 as 0. -#}
{% macro landing_marked_images() -%}
if(
            envelope_json rlike {{ entrepot.landing_inexact_number() }},
            from_json({{ entrepot.landing_marked_numbers('envelope_json') }}, 'before string, after string, message string'),
            null
        )
{%- endmacro %}


{#- SQL: the JSON of an image, digit for digit: from `marked` where it had to be parsed so, else as it was parsed. -#}
{% macro landing_exact_json(image) -%}
if(marked is null, event.{{ image }}, {{ entrepot.landing_unmarked('marked.' ~ image) }})
{%- endmacro %}


{#- SQL: JSON in which inexact numbers are texts, so that `from_json` reads every digit of them. `marked` ones can
    be turned into numbers again (`landing_unmarked`). `known` is a column that is false where it is known that there are none: looking for them is slow. -#}
{% macro landing_numbers_as_text(json, marked=false, known=none) -%}
if({{ known ~ ' is not false and ' if known }}{{ json }} rlike {{ entrepot.landing_inexact_number() }}, {{ entrepot.landing_marked_numbers(json, marked) }}, {{ json }})
{%- endmacro %}


{#- SQL: JSON with every inexact number as a text in marks, which are U+FDD0 and U+FDD1: Unicode keeps them for
    such use. What stands in the JSON's texts is left alone. -#}
{% macro landing_marked_numbers(json, marked=true) -%}
replace(replace(replace(regexp_replace(
        {{ json }},
        '("(?:[^"\\\\]|\\\\.)*+")|(-?[0-9]++(?:[.][0-9]++(?:[eE][+-]?[0-9]++)?|[eE][+-]?[0-9]++)|-0(?![0-9.eE]))',
        '$1\ufdd0$2\ufdd1'
    ), '\ufdd0\ufdd1', ''), '\ufdd0', '"{{ '\\ufdd0' if marked }}'), '\ufdd1', '{{ '\\ufdd1' if marked }}"')
{%- endmacro %}


{#- SQL: what was parsed from `landing_marked_numbers`, its numbers as they came. -#}
{% macro landing_unmarked(text) -%}
translate(replace(replace({{ text }}, '"\ufdd0', ''), '\ufdd1"', ''), '\ufdd0\ufdd1', '')
{%- endmacro %}


{#- SQL text of a pattern that JSON with an inexact number matches, one with a fraction or an exponent or -0; other JSON may, by what stands in its texts, times of day excepted.
    It begins with a class of characters, which Java looks for in half the time that it takes for alternatives. -#}
{% macro landing_inexact_number() -%}
'[:,\\[](?<![0-9]:)\\s*-?[0-9]+(?:[.eE]|(?<=-0))'
{%- endmacro %}
