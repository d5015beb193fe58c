-- Grain: one committed change of one item, in the columns that a history by commit order reads.
{{ config(unique_key='event_id', delta_rule='join', schema='mapped') }}
select
  cast(number as string) as event_id, 'tills.item' as schema_name, op,
  struct(
    committed_at, 'tills' as source_system, number as log_commit, number as log_position, 0L as log_serial, cast(number as string) as event_id
  ) as commit_position,
  item_id,
  struct(current_price, brand, category) as after,
  if(op = 'u', array('current_price'), array('current_price', 'brand', 'category')) as present,
  cast(null as string) as mapping_error
from {{ source('tpcds', 'item_event') }}
