{#- The fields that Debezium's transform ExtractNewRecordState adds to a row (`add.fields`) and landing reads: {field: [type, its names in the row]}. A field of
    the envelope's `source` is there with the name of its struct or without, as `add.fields` says it. Without it, `ts_us` and `ts_ms` are another time:
    that at which the connector was at work. -#}
{% macro landing_added_fields() %}
  {%- set fields = {'op': ['string', ['__op']], 'deleted': ['string', ['__deleted']], 'total_order': ['bigint', ['__transaction_total_order', '__total_order']]} -%}
  {%- for name, type in entrepot.landing_envelope_fields().source.items() -%}
    {%- do fields.update({name: [type, ['__source_' ~ name] + ([] if name in ['ts_us', 'ts_ms'] else ['__' ~ name])]}) -%}
  {%- endfor -%}
  {{ return(fields) }}
{% endmacro %}


{#- SQL: what ExtractNewRecordState has added to a row, a struct; null where a value is no flattened row. The names are looked for as text first: JSON is parsed
    only where they stand. -#}
{% macro landing_added(json) -%}
{%- set ns = namespace(fields=[]) -%}
{%- for type, names in entrepot.landing_added_fields().values() -%}
  {%- for name in names -%}{%- set ns.fields = ns.fields + [name ~ ' ' ~ type] -%}{%- endfor -%}
{%- endfor -%}
if(
            contains({{ json }}, '"__op"') or contains({{ json }}, '"__deleted"'),
            if(
                arrays_overlap(json_object_keys({{ json }}), array('__op', '__deleted')) and {{ entrepot.landing_is_one_record(json) }},
                from_json({{ json }}, '{{ ns.fields | join(', ') }}', map({{ entrepot.landing_json_options() }})),
                null
            ),
            null
        )
{%- endmacro %}


{#- SQL: a field that has been added to a row, by whichever of its names. -#}
{% macro landing_added_field(field) -%}
{%- set names = entrepot.landing_added_fields()[field][1] -%}
{%- set told = 'added.' ~ names | join(', added.') -%}
{{ 'coalesce(' ~ told ~ ')' if names | length > 1 else told }}
{%- endmacro %}


{#- SQL: the envelope of a value: of a flattened row one that says the same, its images the row without what was added, digit for digit. Table, schema and source
    system are those of the topic where no field says them. -#}
{% macro landing_enveloped(json) -%}
{%- set topic = {'table': 3, 'schema': 2, 'name': 1} -%}
{%- set ns = namespace(source=[]) -%}
{%- for name in entrepot.landing_envelope_fields().source -%}
  {%- set value = entrepot.landing_added_field(name) -%}
  {%- if name in topic -%}
    {%- set value = "coalesce(" ~ value ~ ", nullif(regexp_extract(message.destination, '^(.+)[.]([^.]+)[.]([^.]+)$', " ~ topic[name] ~ "), ''))" -%}
  {%- elif name == 'connector' -%}
    {#- no other has an lsn -#}
    {%- set value = 'coalesce(' ~ value ~ ", 'postgresql')" -%}
  {%- endif -%}
  {%- set ns.source = ns.source + ["'" ~ name ~ "', " ~ value] -%}
{%- endfor -%}
{%- set row = "regexp_replace(" ~ json ~ ", " ~ entrepot.landing_added_text() ~ ", '}')" -%}
if(
            added is null,
            {{ json }},
            concat(
                '{"before":', if(added.__op = 'd', {{ row }}, 'null'), ',"after":', if(added.__op = 'd', 'null', {{ row }}), ',',
                substr(to_json(named_struct(
                    'op', added.__op,
                    'source', named_struct({{ ns.source | join(', ') }}),
                    'transaction', named_struct('total_order', {{ entrepot.landing_added_field('total_order') }})
                )), 2)
            )
        )
{%- endmacro %}


{#- SQL text of a pattern that the end of a flattened row matches: its last fields, as far as their names begin with two underscores, and the closing brace. Their values
    are no objects, or such as have none within, as `__transaction`. -#}
{% macro landing_added_text() -%}
{%- set text = '"(?:[^"\\\\\\\\]|\\\\\\\\.)*+"' -%}
'(?:,\\s*"__(?:[^"\\\\]|\\\\.)*+"\\s*+:\\s*+(?:{{ text }}|[^\\s,{}\\[\\]"]++|\\{(?:{{ text }}|[^{}\\[\\]"])*+\\})\\s*+)+\\}\\s*$'
{%- endmacro %}


{#- SQL: the embedded schema of a value: of a flattened row that of an envelope, in which the row is the image `after`. -#}
{% macro landing_enveloped_schema(schema) -%}
if(
            added is null or {{ schema }} is null,
            {{ schema }},
            concat('{"fields":[{"field":"after","fields":[', coalesce(array_join(
                filter(from_json({{ schema }}, 'fields array<string>').fields, field -> from_json(field, 'field string').field not like '\\_\\_%'), ','
            ), ''), ']}]}')
        )
{%- endmacro %}


{#- SQL: what a flattened row lacks to be a change, in the words of the transform's settings; null where nothing. Only with the setting for deletes is there
    a row for each of them: without it they are tombstones, or nothing at all, and the table would keep what is gone. -#}
{% macro landing_lacking() -%}
if(
            added is null,
            null,
            nullif(concat_ws(
                ', ',
                if(added.__op is null, 'add.fields=op', null),
                if({{ entrepot.landing_added_field('lsn') }} is null, 'add.fields=lsn', null),
                if(coalesce(added.__source_ts_us, added.__source_ts_ms) is null, 'add.fields=source.ts_us', null),
                if(added.__deleted is null, 'delete.tombstone.handling.mode=rewrite', null)
            ), '')
        )
{%- endmacro %}


{#- SQL: whether a value may be a row that was flattened without adding anything to it: none of the fields is there that make an envelope. -#}
{% macro landing_is_bare_row() -%}
not arrays_overlap(json_object_keys(envelope_json), array('op', 'source', 'before', 'after', 'transaction'))
            and size(json_object_keys(envelope_json)) > 0
{%- endmacro %}
