-- Grain: one committed change of one item's price, in the columns that a history by commit order reads.
{{ config(unique_key='event_id', delta_rule='join') }}
select
  cast(number as string) as event_id,
  'shop.price' as schema_name,
  case kind when 'new' then 'c' when 'gone' then 'd' else 'u' end as op,
  struct(
    committed_at, 'shop' as source_system, number as log_commit, number as log_position, 0L as log_serial, cast(number as string) as event_id
  ) as commit_position,
  item,
  if(kind = 'gone', null, struct(price)) as after,
  if(kind = 'gone', array(), array('price')) as present,
  cast(null as string) as mapping_error
from {{ source('shop', 'price_log') }}
