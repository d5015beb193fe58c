{#- SQL: the identity of a change event, the same however often and by whichever file it is delivered: where it stands in
    its source's log, and what it says. Equal rows of a table without a key can stand at one place of the log: they are
    told apart by their number within the transaction, those of a snapshot by their number within the file. -#}
{% macro landing_event_id() -%}
sha2(
        to_json(array(
            event.source.name, event.source.db, event.source.schema, event.source.`table`, event.op,
            cast(event.source.lsn as string), cast(event.source.txid as string), key_json, event.before, event.after, event.message,
            case
                when key_json is not null then null
                when event.op = 'r' then cast(row_number() over (
                    partition by landed_from, event.op, event.source.lsn, event.source.`table`, event.after
                    order by landed_offset
                ) as string)
                else cast(event.transaction.total_order as string)
            end
        )),
        256
    )
{%- endmacro %}


{#- SQL: the identity of a line that is no change event: where it stood, and what it says. -#}
{% macro landing_line_id() -%}
sha2(concat_ws('|', landed_from, cast(landed_offset as string), line), 256)
{%- endmacro %}
