{#- SQL: the PostgreSQL type behind a field of Debezium's embedded schema (a struct with type, name, parameters, items). What has no
    name in PostgreSQL, such as nanoseconds, keeps Debezium's. -#}
{% macro landing_source_type(field) -%}
if(
                        {{ field }}.type = 'array',
                        concat(coalesce({{ entrepot.landing_element_type(field ~ '.items') }}, 'text'), '[]'),
                        {{ entrepot.landing_element_type(field) }}
                    )
{%- endmacro %}


{#- SQL: the PostgreSQL type behind a field that is no array, or behind the items of one. A decimal without the number of its digits keeps Connect's name. -#}
{% macro landing_element_type(field) -%}
{%- set digits = 'concat(coalesce(' ~ field ~ ".parameters['connect.decimal.precision'], '38'), ',', " ~ field ~ ".parameters['scale'])" -%}
case
                        when {{ field }}.name = 'org.apache.kafka.connect.data.Decimal' and {{ digits }} rlike '^[0-9]+,-?[0-9]+$'
                            then concat('numeric(', {{ digits }}, ')')
                        when {{ field }}.name is not null then coalesce(
                            {{ entrepot.landing_type_words('semantic') }}[{{ field }}.name],
                            if(
                                {{ field }}.type = 'struct' or {{ field }}.name rlike '^(io[.]debezium|org[.]apache[.]kafka)[.]',
                                {{ field }}.name, {{ entrepot.landing_type_words('physical') }}[{{ field }}.type]
                            )
                        )
                        when {{ field }}.type = 'struct' then 'struct'
                        else {{ entrepot.landing_type_words('physical') }}[{{ field }}.type]
                    end
{%- endmacro %}


{#- SQL of a map from words of others to PostgreSQL's types: `semantic` names of Debezium and `physical` types of Kafka
    Connect (see `landing_source_type`), or what a person may have `written` (see `landing_canonical_type`).
    python/entrepot/mapping/connect.py has them. -#}
{% macro landing_type_words(words) -%}
{%- set types = adapter.mapping_type_words(words) -%}
map(
{%- for name, type in types.items() -%}
'{{ name }}', '{{ type }}'{{ ', ' if not loop.last }}
{%- endfor -%}
)
{%- endmacro %}


{#- SQL: a type as a person writes it in the seed, in the words of `landing_source_type`, for comparing the two. Lengths
    of texts do not count, those of numbers do; times of at most 3 digits travel as milliseconds, others as microseconds. -#}
{% macro landing_canonical_type(column) -%}
{%- set type = "replace(" ~ entrepot.mapping_lower("trim(" ~ column ~ ")") ~ ", '[]', '')" -%}
{%- set word = "regexp_replace(trim(regexp_replace(" ~ type ~ ", '[(][^)]*[)]', ' ')), ' +', ' ')" -%}
transform(
            array(struct(
                coalesce({{ entrepot.landing_type_words('written') }}[{{ word }}], {{ word }}) as word,
                regexp_replace(regexp_extract({{ type }}, '[(]([^)]*)[)]', 1), ' ', '') as arguments
            )),
            named -> concat(
                if(named.word = 'bit' and named.arguments in ('', '1'), 'boolean', named.word),
                case
                    when named.arguments = '' then ''
                    when named.word = 'numeric' then concat('(', named.arguments, if(named.arguments like '%,%', ')', ',0)'))
                    when named.word in ('time', 'timestamp') then if(named.arguments <= '3', '(3)', '')
                    when named.word in ('text', 'timestamptz', 'timetz', 'interval') or named.word = 'bit' and named.arguments = '1' then ''
                    else concat('(', named.arguments, ')')
                end,
                if({{ column }} like '%[]', '[]', '')
            )
        )[0]
{%- endmacro %}


{#- SQL: the type that decides how a value travels and is read, of a type in the words of `landing_source_type`: all that travel as text,
    or as a whole that is not taken apart, are `text`. So types that only PostgreSQL tells apart make no versions of their own. -#}
{% macro landing_travels_as(type) -%}
case
            when {{ type }} rlike '(?i)^(bit([(]| varying)|io[.]debezium[.]data[.]Bits)' then 'bits'
            when {{ type }} rlike '(?i)^(smallint|integer|bigint|real|double precision|boolean|bytea|date|timestamptz|(numeric|time|timestamp)([(].*)?|io[.]debezium[.]time[.](Nano|Iso).*)(\\[\\])?$' then {{ entrepot.mapping_lower(type) }}
            when {{ type }} like '%[]' then 'text[]'
            when {{ type }} is not null then 'text'
        end
{%- endmacro %}
