{#- SQL: the identity of a change event, the same however often and by whichever file it is delivered: where it stands in
    its source's log, and what it says. Equal rows of a table without a key can stand at one place of the log: they are
    told apart by their number within the transaction, where the source does not tell it by their number within the file, and those of a
    snapshot by their place in the file. -#}
{% macro landing_event_id() -%}
{{ entrepot.landing_identity("case
                when key_json is not null then null
                when event.op = 'r' then concat(file_id, ':', landed_offset)
                when event.transaction.total_order is not null then cast(event.transaction.total_order as string)
                when equal_before > 0 then concat('in file ', equal_before + 1)
            end") }}
{%- endmacro %}


{#- SQL: the identity that a row without a key, of a snapshot or of a transaction that does not tell its number, had when its number within the file
    was the number alone; null for all others. -#}
{% macro landing_former_event_id() -%}
if(
        key_json is null and (event.op = 'r' or event.transaction.total_order is null and equal_before > 0),
        {{ entrepot.landing_identity("cast(equal_before + 1 as string)") }},
        null
    )
{%- endmacro %}


{#- SQL: a checksum of where a change stands in its source's log, what it says, and what tells equal ones apart. -#}
{% macro landing_identity(distinction) -%}
sha2(
        to_json(array(
            event.source.name, event.source.db, event.source.schema, event.source.`table`, event.op,
            cast(event.source.lsn as string), cast(event.source.txid as string), key_json, event.before, event.after, event.message,
            {{ distinction }}
        )),
        256
    )
{%- endmacro %}


{#- SQL: how many equal changes of a table without a key stand before this one in its file, at one place of their source's log. The place comes first:
    Spark sorts by its first column alone where that tells rows apart. -#}
{% macro landing_equal_before() -%}
row_number() over (
        partition by
            event.source.lsn, landed_from,
            if(key_json is null, xxhash64(
                reason, event.source.name, event.source.db, event.source.schema, event.source.`table`, event.source.txid,
                event.op, event.before, event.after, event.message
            ), landed_offset)
        order by landed_offset
    ) - 1
{%- endmacro %}


{#- SQL: the identity of a line that is no change event: its place in its file, and what it says. A file is what begins so: it stays
    the same when it grows, and under another name. -#}
{% macro landing_line_id() -%}
sha2(concat_ws('|', file_id, cast(landed_offset as string), line), 256)
{%- endmacro %}


{#- SQL: the identity that such a line had before, when a file was its name. -#}
{% macro landing_former_line_id() -%}
sha2(concat_ws('|', landed_from, cast(landed_offset as string), line), 256)
{%- endmacro %}
