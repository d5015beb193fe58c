-- two blocks whose images are parsed into the same fields share a branch: a decimal, a text that may be large, an attribute that the sources do not have
{{ mapping_entity_sql(
  [
    {
      'schema': "shop.sales.o'rder", 'versions': [1, 2], 'first_version': 1,
      'elements': [
        {'attribute': 'Order Id', 'data_type': 'integer', 'entity_attribute': 'order_id'},
        {'attribute': 'total', 'data_type': 'numeric(12,2)', 'entity_attribute': 'amount'},
        {'attribute': 'note', 'data_type': 'text', 'entity_attribute': 'note'}
      ]
    },
    {
      'schema': "shop.sales.o'rder", 'versions': [3], 'first_version': 1,
      'elements': [
        {'attribute': 'number', 'data_type': 'integer', 'entity_attribute': 'order_id'},
        {'attribute': 'total', 'data_type': 'numeric(12,2)', 'entity_attribute': 'amount'},
        {'attribute': 'note', 'data_type': 'text', 'entity_attribute': 'note'}
      ]
    }
  ],
  [
    {'name': 'order_id', 'data_type': 'integer', 'is_key': true},
    {'name': 'amount', 'data_type': 'decimal(14,3)', 'is_key': false},
    {'name': 'note', 'data_type': 'string', 'is_key': false},
    {'name': 'placed_at', 'data_type': 'timestamp', 'is_key': false}
  ],
  'landing.change_event'
) }};
-- shop.sales.o'rder versions 1, 2: 3 of 4 attributes
-- shop.sales.o'rder versions 3: 3 of 4 attributes
select
  event_id, source_system, schema_name, schema_version, op, commit_position, committed_at, transaction_id,
  coalesce(after_order_id, before_order_id) as order_id,
  if(image_before is null, null, struct(before_order_id as order_id, before_amount as amount, before_note as note, before_placed_at as placed_at)) as before,
  if(image_after is null, null, struct(after_order_id as order_id, after_amount as amount, after_note as note, after_placed_at as placed_at)) as after,
  if(image_after is null, array(), if(if(image_after.amount in ('__debezium_unavailable_value', 'X19kZWJleml1bV91bmF2YWlsYWJsZV92YWx1ZQ=='), null, 'amount') is null or if(image_after.note in ('__debezium_unavailable_value', 'X19kZWJleml1bV91bmF2YWlsYWJsZV92YWx1ZQ=='), null, 'note') is null, array_compact(array('order_id', if(image_after.amount in ('__debezium_unavailable_value', 'X19kZWJleml1bV91bmF2YWlsYWJsZV92YWx1ZQ=='), null, 'amount'), if(image_after.note in ('__debezium_unavailable_value', 'X19kZWJleml1bV91bmF2YWlsYWJsZV92YWx1ZQ=='), null, 'note'))), array('order_id', 'amount', 'note'))) as present,
  if(
    if(image_after._misfit is not null or image_before._misfit is not null, concat_ws(': ', 'an image does not fit the types of its schema version', nullif(array_join(map_values(map_filter(
      typed_columns, (field, name) -> coalesce(not array_contains(json_object_keys(to_json(image_after)), field) and get_json_object(json_after, concat('$[\'', name, '\']')) is not null or not array_contains(json_object_keys(to_json(image_before)), field) and get_json_object(json_before, concat('$[\'', name, '\']')) is not null, false)
    )), ', '), '')), null) is not null
    or if(half_a_character, 'an image holds half a character (a lone surrogate)', null) is not null
    or if(is_typed is false and image_after.amount rlike '^[+-]?[0-9]+([.][0-9]*)?([eE][+-]?[0-9]+)?$' and length(image_after.amount) % 4 = 0 and image_after.amount not rlike '[.-]' and not coalesce((image_after.amount < ':' or image_after.amount = 'true') and image_after.amount rlike '^(-?[0-9]+([eE][+-]?[0-9]+)?|true)$' and contains(
  translate(regexp_replace(json_after, '"(?:[^"\\\\]|\\\\.)*+"|\\s+', ''), ':,[]{}', '||||||'), concat('|', image_after.amount, '|')
), false), 'amount may be a number or Base64: say decimal.handling.mode of its connector in the variable connectors', if((image_after.amount is not null and if(image_after.amount in ('__debezium_unavailable_value', 'X19kZWJleml1bV91bmF2YWlsYWJsZV92YWx1ZQ=='), null, '') is not null and (after_amount is null)), 'amount does not fit decimal(14,3)', null)) is not null,
    concat_ws('; ',
    if(image_after._misfit is not null or image_before._misfit is not null, concat_ws(': ', 'an image does not fit the types of its schema version', nullif(array_join(map_values(map_filter(
      typed_columns, (field, name) -> coalesce(not array_contains(json_object_keys(to_json(image_after)), field) and get_json_object(json_after, concat('$[\'', name, '\']')) is not null or not array_contains(json_object_keys(to_json(image_before)), field) and get_json_object(json_before, concat('$[\'', name, '\']')) is not null, false)
    )), ', '), '')), null),
    if(half_a_character, 'an image holds half a character (a lone surrogate)', null),
    if(is_typed is false and image_after.amount rlike '^[+-]?[0-9]+([.][0-9]*)?([eE][+-]?[0-9]+)?$' and length(image_after.amount) % 4 = 0 and image_after.amount not rlike '[.-]' and not coalesce((image_after.amount < ':' or image_after.amount = 'true') and image_after.amount rlike '^(-?[0-9]+([eE][+-]?[0-9]+)?|true)$' and contains(
  translate(regexp_replace(json_after, '"(?:[^"\\\\]|\\\\.)*+"|\\s+', ''), ':,[]{}', '||||||'), concat('|', image_after.amount, '|')
), false), 'amount may be a number or Base64: say decimal.handling.mode of its connector in the variable connectors', if((image_after.amount is not null and if(image_after.amount in ('__debezium_unavailable_value', 'X19kZWJleml1bV91bmF2YWlsYWJsZV92YWx1ZQ=='), null, '') is not null and (after_amount is null)), 'amount does not fit decimal(14,3)', null))
  ), null
  ) as mapping_error
from (
  select
    *,
    try_cast(image_after.order_id as bigint) as after_order_id,
    if(image_after.amount in ('__debezium_unavailable_value', 'X19kZWJleml1bV91bmF2YWlsYWJsZV92YWx1ZQ=='), null, try_cast(source_after_amount as decimal(14,3))) as after_amount,
    if(image_after.note in ('__debezium_unavailable_value', 'X19kZWJleml1bV91bmF2YWlsYWJsZV92YWx1ZQ=='), null, try_cast(image_after.note as string)) as after_note,
    cast(null as timestamp) as after_placed_at,
    try_cast(image_before.order_id as bigint) as before_order_id,
    if(op = 'd', null, if(image_before.amount in ('__debezium_unavailable_value', 'X19kZWJleml1bV91bmF2YWlsYWJsZV92YWx1ZQ=='), null, try_cast(source_before_amount as decimal(14,3)))) as before_amount,
    if(op = 'd', null, if(image_before.note in ('__debezium_unavailable_value', 'X19kZWJleml1bV91bmF2YWlsYWJsZV92YWx1ZQ=='), null, try_cast(image_before.note as string))) as before_note,
    cast(null as timestamp) as before_placed_at
  from (
  select
    *,
    case when is_typed is not false or not image_after.amount rlike '^[+-]?[0-9]+([.][0-9]*)?([eE][+-]?[0-9]+)?$' then if(coalesce((image_after.amount < ':' or image_after.amount = 'true') and image_after.amount rlike '^(-?[0-9]+([eE][+-]?[0-9]+)?|true)$' and contains(
  translate(regexp_replace(json_after, '"(?:[^"\\\\]|\\\\.)*+"|\\s+', ''), ':,[]{}', '||||||'), concat('|', image_after.amount, '|')
), false), null, try_cast(if(length(hex(if(image_after.amount rlike '^[0-9A-Za-z+/]*={0,2}$' and length(image_after.amount) % 4 = 0, try_to_binary(image_after.amount, 'base64'), null))) between 2 and 16, conv(lpad(hex(if(image_after.amount rlike '^[0-9A-Za-z+/]*={0,2}$' and length(image_after.amount) % 4 = 0, try_to_binary(image_after.amount, 'base64'), null)), 16, if(hex(if(image_after.amount rlike '^[0-9A-Za-z+/]*={0,2}$' and length(image_after.amount) % 4 = 0, try_to_binary(image_after.amount, 'base64'), null)) < '8', '0', 'F')), 16, -10), null) as decimal(18, 0)) * cast('1e-2' as decimal(3, 2))) when not (length(image_after.amount) % 4 = 0 and image_after.amount not rlike '[.-]' and not coalesce((image_after.amount < ':' or image_after.amount = 'true') and image_after.amount rlike '^(-?[0-9]+([eE][+-]?[0-9]+)?|true)$' and contains(
  translate(regexp_replace(json_after, '"(?:[^"\\\\]|\\\\.)*+"|\\s+', ''), ':,[]{}', '||||||'), concat('|', image_after.amount, '|')
), false)) then if(
  image_after.amount rlike '^[+-]?[0-9]+([.][0-9]{0,2}0*)?$'
  or image_after.amount rlike '^[+-]?[0-9.]{1,16}[eE][+-]?[0-9]+$' and try_cast(try_cast(image_after.amount as decimal(38, 2)) as double) = try_cast(image_after.amount as double)
    and (try_cast(image_after.amount as double) <> 0 or image_after.amount rlike '^[+-]?[0.]+[eE]'),
  try_cast(image_after.amount as decimal(38, 2)), null
) end as source_after_amount,
    case when is_typed is not false or not image_before.amount rlike '^[+-]?[0-9]+([.][0-9]*)?([eE][+-]?[0-9]+)?$' then if(coalesce((image_before.amount < ':' or image_before.amount = 'true') and image_before.amount rlike '^(-?[0-9]+([eE][+-]?[0-9]+)?|true)$' and contains(
  translate(regexp_replace(json_before, '"(?:[^"\\\\]|\\\\.)*+"|\\s+', ''), ':,[]{}', '||||||'), concat('|', image_before.amount, '|')
), false), null, try_cast(if(length(hex(if(image_before.amount rlike '^[0-9A-Za-z+/]*={0,2}$' and length(image_before.amount) % 4 = 0, try_to_binary(image_before.amount, 'base64'), null))) between 2 and 16, conv(lpad(hex(if(image_before.amount rlike '^[0-9A-Za-z+/]*={0,2}$' and length(image_before.amount) % 4 = 0, try_to_binary(image_before.amount, 'base64'), null)), 16, if(hex(if(image_before.amount rlike '^[0-9A-Za-z+/]*={0,2}$' and length(image_before.amount) % 4 = 0, try_to_binary(image_before.amount, 'base64'), null)) < '8', '0', 'F')), 16, -10), null) as decimal(18, 0)) * cast('1e-2' as decimal(3, 2))) when not (length(image_before.amount) % 4 = 0 and image_before.amount not rlike '[.-]' and not coalesce((image_before.amount < ':' or image_before.amount = 'true') and image_before.amount rlike '^(-?[0-9]+([eE][+-]?[0-9]+)?|true)$' and contains(
  translate(regexp_replace(json_before, '"(?:[^"\\\\]|\\\\.)*+"|\\s+', ''), ':,[]{}', '||||||'), concat('|', image_before.amount, '|')
), false)) then if(
  image_before.amount rlike '^[+-]?[0-9]+([.][0-9]{0,2}0*)?$'
  or image_before.amount rlike '^[+-]?[0-9.]{1,16}[eE][+-]?[0-9]+$' and try_cast(try_cast(image_before.amount as decimal(38, 2)) as double) = try_cast(image_before.amount as double)
    and (try_cast(image_before.amount as double) <> 0 or image_before.amount rlike '^[+-]?[0.]+[eE]'),
  try_cast(image_before.amount as decimal(38, 2)), null
) end as source_before_amount
  from (
    select
      * except (after, before),
      coalesce((
    contains(after, '\\u') and (contains(after, '\\ud') or contains(after, '\\uD'))
    and after rlike '(?<![\\\\])(?:[\\\\]{2})*[\\\\]u[dD][89abAB][0-9a-fA-F]{2}(?![\\\\]u[dD][c-fC-F][0-9a-fA-F]{2})|(?<![\\\\]u[dD][89abAB][0-9a-fA-F]{2})(?<![\\\\])(?:[\\\\]{2})*[\\\\]u[dD][c-fC-F]'
), false) or coalesce((
    contains(before, '\\u') and (contains(before, '\\ud') or contains(before, '\\uD'))
    and before rlike '(?<![\\\\])(?:[\\\\]{2})*[\\\\]u[dD][89abAB][0-9a-fA-F]{2}(?![\\\\]u[dD][c-fC-F][0-9a-fA-F]{2})|(?<![\\\\]u[dD][89abAB][0-9a-fA-F]{2})(?<![\\\\])(?:[\\\\]{2})*[\\\\]u[dD][c-fC-F]'
), false) as half_a_character,
      after as json_after,
      before as json_before,
      case when schema_name = 'shop.sales.o\'rder' then case
        when schema_version in (1, 2) then cast(from_json(image_text_after, '`_misfit` STRING, `Order Id` INT, `total` STRING, `note` STRING', map('columnNameOfCorruptRecord', '_misfit'))
          as struct<_misfit: STRING, order_id: INT, amount: STRING, note: STRING>)
        when schema_version in (3) then cast(from_json(image_text_after, '`_misfit` STRING, `number` INT, `total` STRING, `note` STRING', map('columnNameOfCorruptRecord', '_misfit'))
          as struct<_misfit: STRING, order_id: INT, amount: STRING, note: STRING>)
      end end as image_after,
      case when schema_name = 'shop.sales.o\'rder' then case
        when schema_version in (1, 2) then cast(from_json(image_text_before, '`_misfit` STRING, `Order Id` INT, `total` STRING, `note` STRING', map('columnNameOfCorruptRecord', '_misfit'))
          as struct<_misfit: STRING, order_id: INT, amount: STRING, note: STRING>)
        when schema_version in (3) then cast(from_json(image_text_before, '`_misfit` STRING, `number` INT, `total` STRING, `note` STRING', map('columnNameOfCorruptRecord', '_misfit'))
          as struct<_misfit: STRING, order_id: INT, amount: STRING, note: STRING>)
      end end as image_before,
      case when schema_name = 'shop.sales.o\'rder' then case
        when schema_version in (1, 2) then from_json('{"order_id": "Order Id"}', 'map<string, string>')
        when schema_version in (3) then from_json('{"order_id": "number"}', 'map<string, string>')
      end end as typed_columns
    from (
      select
        *,
        if(has_fractions is not false and after rlike '[:,\\[](?<![0-9]:)\\s*-?[0-9]+(?:[.eE]|(?<=-0))', replace(replace(replace(regexp_replace(
        after,
        '("(?:[^"\\\\]|\\\\.)*+")|(-?[0-9]++(?:[.][0-9]++(?:[eE][+-]?[0-9]++)?|[eE][+-]?[0-9]++)|-0(?![0-9.eE]))',
        '$1\ufdd0$2\ufdd1'
    ), '\ufdd0\ufdd1', ''), '\ufdd0', '"'), '\ufdd1', '"'), after) as image_text_after,
        if(has_fractions is not false and before rlike '[:,\\[](?<![0-9]:)\\s*-?[0-9]+(?:[.eE]|(?<=-0))', replace(replace(replace(regexp_replace(
        before,
        '("(?:[^"\\\\]|\\\\.)*+")|(-?[0-9]++(?:[.][0-9]++(?:[eE][+-]?[0-9]++)?|[eE][+-]?[0-9]++)|-0(?![0-9.eE]))',
        '$1\ufdd0$2\ufdd1'
    ), '\ufdd0\ufdd1', ''), '\ufdd0', '"'), '\ufdd1', '"'), before) as image_text_before
      from landing.change_event
    )
  )

  )
)
where schema_name = 'shop.sales.o\'rder' and (schema_version in (1, 2, 3) or op = 't');

-- a later block of the schema: truncates belong to the first
{{ mapping_entity_sql(
  [{
    'schema': 'shop.sales.item', 'versions': [3], 'first_version': 1,
    'elements': [{'attribute': 'code', 'data_type': 'uuid', 'entity_attribute': 'code'}]
  }],
  [{'name': 'code', 'data_type': 'string', 'is_key': true}],
  'landing.change_event'
) }};
-- shop.sales.item versions 3: 1 of 1 attributes
select
  event_id, source_system, schema_name, schema_version, op, commit_position, committed_at, transaction_id,
  coalesce(after_code, before_code) as code,
  if(image_before is null, null, struct(before_code as code)) as before,
  if(image_after is null, null, struct(after_code as code)) as after,
  if(image_after is null, array(), if(if(image_after.code in ('__debezium_unavailable_value', 'X19kZWJleml1bV91bmF2YWlsYWJsZV92YWx1ZQ=='), null, 'code') is null, array_compact(array(if(image_after.code in ('__debezium_unavailable_value', 'X19kZWJleml1bV91bmF2YWlsYWJsZV92YWx1ZQ=='), null, 'code'))), array('code'))) as present,
  if(
    if(image_after._misfit is not null or image_before._misfit is not null, concat_ws(': ', 'an image does not fit the types of its schema version', nullif(array_join(map_values(map_filter(
      typed_columns, (field, name) -> coalesce(not array_contains(json_object_keys(to_json(image_after)), field) and get_json_object(json_after, concat('$[\'', name, '\']')) is not null or not array_contains(json_object_keys(to_json(image_before)), field) and get_json_object(json_before, concat('$[\'', name, '\']')) is not null, false)
    )), ', '), '')), null) is not null
    or if(half_a_character, 'an image holds half a character (a lone surrogate)', null) is not null,
    concat_ws('; ',
    if(image_after._misfit is not null or image_before._misfit is not null, concat_ws(': ', 'an image does not fit the types of its schema version', nullif(array_join(map_values(map_filter(
      typed_columns, (field, name) -> coalesce(not array_contains(json_object_keys(to_json(image_after)), field) and get_json_object(json_after, concat('$[\'', name, '\']')) is not null or not array_contains(json_object_keys(to_json(image_before)), field) and get_json_object(json_before, concat('$[\'', name, '\']')) is not null, false)
    )), ', '), '')), null),
    if(half_a_character, 'an image holds half a character (a lone surrogate)', null)
  ), null
  ) as mapping_error
from (
  select
    *,
    if(image_after.code in ('__debezium_unavailable_value', 'X19kZWJleml1bV91bmF2YWlsYWJsZV92YWx1ZQ=='), null, try_cast(image_after.code as string)) as after_code,
    if(image_before.code in ('__debezium_unavailable_value', 'X19kZWJleml1bV91bmF2YWlsYWJsZV92YWx1ZQ=='), null, try_cast(image_before.code as string)) as before_code
  from (
    select
      * except (after, before),
      coalesce((
    contains(after, '\\u') and (contains(after, '\\ud') or contains(after, '\\uD'))
    and after rlike '(?<![\\\\])(?:[\\\\]{2})*[\\\\]u[dD][89abAB][0-9a-fA-F]{2}(?![\\\\]u[dD][c-fC-F][0-9a-fA-F]{2})|(?<![\\\\]u[dD][89abAB][0-9a-fA-F]{2})(?<![\\\\])(?:[\\\\]{2})*[\\\\]u[dD][c-fC-F]'
), false) or coalesce((
    contains(before, '\\u') and (contains(before, '\\ud') or contains(before, '\\uD'))
    and before rlike '(?<![\\\\])(?:[\\\\]{2})*[\\\\]u[dD][89abAB][0-9a-fA-F]{2}(?![\\\\]u[dD][c-fC-F][0-9a-fA-F]{2})|(?<![\\\\]u[dD][89abAB][0-9a-fA-F]{2})(?<![\\\\])(?:[\\\\]{2})*[\\\\]u[dD][c-fC-F]'
), false) as half_a_character,
      after as json_after,
      before as json_before,
      case when schema_name = 'shop.sales.item' then case
        when schema_version in (3) then from_json(image_text_after, '`_misfit` STRING, `code` STRING', map('columnNameOfCorruptRecord', '_misfit'))
      end end as image_after,
      case when schema_name = 'shop.sales.item' then case
        when schema_version in (3) then from_json(image_text_before, '`_misfit` STRING, `code` STRING', map('columnNameOfCorruptRecord', '_misfit'))
      end end as image_before,
      case when schema_name = 'shop.sales.item' then case
        when schema_version in (3) then from_json('{}', 'map<string, string>')
      end end as typed_columns
    from (
      select
        *,
        if(has_fractions is not false and after rlike '[:,\\[](?<![0-9]:)\\s*-?[0-9]+(?:[.eE]|(?<=-0))', replace(replace(replace(regexp_replace(
        after,
        '("(?:[^"\\\\]|\\\\.)*+")|(-?[0-9]++(?:[.][0-9]++(?:[eE][+-]?[0-9]++)?|[eE][+-]?[0-9]++)|-0(?![0-9.eE]))',
        '$1\ufdd0$2\ufdd1'
    ), '\ufdd0\ufdd1', ''), '\ufdd0', '"'), '\ufdd1', '"'), after) as image_text_after,
        if(has_fractions is not false and before rlike '[:,\\[](?<![0-9]:)\\s*-?[0-9]+(?:[.eE]|(?<=-0))', replace(replace(replace(regexp_replace(
        before,
        '("(?:[^"\\\\]|\\\\.)*+")|(-?[0-9]++(?:[.][0-9]++(?:[eE][+-]?[0-9]++)?|[eE][+-]?[0-9]++)|-0(?![0-9.eE]))',
        '$1\ufdd0$2\ufdd1'
    ), '\ufdd0\ufdd1', ''), '\ufdd0', '"'), '\ufdd1', '"'), before) as image_text_before
      from landing.change_event
    )
  )
)
where schema_name = 'shop.sales.item' and schema_version in (3);

-- fields inside of a record and of a JSON text: one nested type in the image's from_json, and one more parse for the text
{{ mapping_entity_sql(
  [{
    'schema': 'shop.sales.place', 'versions': [1], 'first_version': 1,
    'elements': [
      {'attribute': 'id', 'data_type': 'integer', 'entity_attribute': 'id'},
      {'attribute': 'address.city', 'data_type': 'text', 'entity_attribute': 'city', 'parents': [{'attribute': 'address', 'data_type': 'struct'}]},
      {'attribute': 'address.geo.`lat.1`', 'data_type': 'integer', 'entity_attribute': 'lat', 'parents': [{'attribute': 'address', 'data_type': 'struct'}]},
      {'attribute': 'profile.open', 'data_type': 'boolean', 'entity_attribute': 'is_open', 'parents': [{'attribute': 'profile', 'data_type': 'jsonb'}]}
    ]
  }],
  [
    {'name': 'id', 'data_type': 'integer', 'is_key': true},
    {'name': 'city', 'data_type': 'string', 'is_key': false},
    {'name': 'is_open', 'data_type': 'boolean', 'is_key': false},
    {'name': 'lat', 'data_type': 'integer', 'is_key': false}
  ],
  'landing.change_event'
) }};
-- shop.sales.place versions 1: 4 of 4 attributes
select
  event_id, source_system, schema_name, schema_version, op, commit_position, committed_at, transaction_id,
  coalesce(after_id, before_id) as id,
  if(image_before is null, null, struct(before_id as id, before_city as city, before_is_open as is_open, before_lat as lat)) as before,
  if(image_after is null, null, struct(after_id as id, after_city as city, after_is_open as is_open, after_lat as lat)) as after,
  if(image_after is null, array(), array_compact(array('id', if(image_after._record_1.city is not null or coalesce(exists(array(from_json(json_after, 'map<string,string>')), keys_1 -> map_contains_key(keys_1, 'address') and (coalesce(trim(keys_1['address']), 'null') = 'null' or exists(array(from_json(keys_1['address'], 'map<string,string>')), keys_2 -> map_contains_key(keys_2, 'city')))), false), if(image_after._record_1.city in ('__debezium_unavailable_value', 'X19kZWJleml1bV91bmF2YWlsYWJsZV92YWx1ZQ=='), null, 'city'), null), if(document_1_after._record_3.is_open is not null or coalesce(exists(array(from_json(json_after, 'map<string,string>')), keys_1 -> map_contains_key(keys_1, 'profile') and (coalesce(trim(keys_1['profile']), 'null') = 'null' or exists(array(from_json(keys_1['profile'], 'map<string,string>')), keys_2 -> map_contains_key(keys_2, 'open')))), false), 'is_open', null), if(image_after._record_1._record_2.lat is not null or coalesce(exists(array(from_json(json_after, 'map<string,string>')), keys_1 -> map_contains_key(keys_1, 'address') and (coalesce(trim(keys_1['address']), 'null') = 'null' or exists(array(from_json(keys_1['address'], 'map<string,string>')), keys_2 -> map_contains_key(keys_2, 'geo') and (coalesce(trim(keys_2['geo']), 'null') = 'null' or exists(array(from_json(keys_2['geo'], 'map<string,string>')), keys_3 -> map_contains_key(keys_3, 'lat.1')))))), false), 'lat', null)))) as present,
  if(
    if(image_after._misfit is not null or image_before._misfit is not null, concat_ws(': ', 'an image does not fit the types of its schema version', nullif(array_join(map_values(map_filter(
      typed_columns, (field, name) -> coalesce(not array_contains(json_object_keys(to_json(image_after)), field) and get_json_object(json_after, concat('$[\'', name, '\']')) is not null or not array_contains(json_object_keys(to_json(image_before)), field) and get_json_object(json_before, concat('$[\'', name, '\']')) is not null, false)
    )), ', '), '')), null) is not null
    or if(half_a_character, 'an image holds half a character (a lone surrogate)', null) is not null
    or if(document_1_after._misfit is not null or document_1_before._misfit is not null, 'profile does not fit the types of what is in it', null) is not null
    or if(coalesce((
    contains(image_after._text_1, '\\u') and (contains(image_after._text_1, '\\ud') or contains(image_after._text_1, '\\uD'))
    and image_after._text_1 rlike '(?<![\\\\])(?:[\\\\]{2})*[\\\\]u[dD][89abAB][0-9a-fA-F]{2}(?![\\\\]u[dD][c-fC-F][0-9a-fA-F]{2})|(?<![\\\\]u[dD][89abAB][0-9a-fA-F]{2})(?<![\\\\])(?:[\\\\]{2})*[\\\\]u[dD][c-fC-F]'
), false) or coalesce((
    contains(image_before._text_1, '\\u') and (contains(image_before._text_1, '\\ud') or contains(image_before._text_1, '\\uD'))
    and image_before._text_1 rlike '(?<![\\\\])(?:[\\\\]{2})*[\\\\]u[dD][89abAB][0-9a-fA-F]{2}(?![\\\\]u[dD][c-fC-F][0-9a-fA-F]{2})|(?<![\\\\]u[dD][89abAB][0-9a-fA-F]{2})(?<![\\\\])(?:[\\\\]{2})*[\\\\]u[dD][c-fC-F]'
), false), 'profile holds half a character (a lone surrogate)', null) is not null,
    concat_ws('; ',
    if(image_after._misfit is not null or image_before._misfit is not null, concat_ws(': ', 'an image does not fit the types of its schema version', nullif(array_join(map_values(map_filter(
      typed_columns, (field, name) -> coalesce(not array_contains(json_object_keys(to_json(image_after)), field) and get_json_object(json_after, concat('$[\'', name, '\']')) is not null or not array_contains(json_object_keys(to_json(image_before)), field) and get_json_object(json_before, concat('$[\'', name, '\']')) is not null, false)
    )), ', '), '')), null),
    if(half_a_character, 'an image holds half a character (a lone surrogate)', null),
    if(document_1_after._misfit is not null or document_1_before._misfit is not null, 'profile does not fit the types of what is in it', null),
    if(coalesce((
    contains(image_after._text_1, '\\u') and (contains(image_after._text_1, '\\ud') or contains(image_after._text_1, '\\uD'))
    and image_after._text_1 rlike '(?<![\\\\])(?:[\\\\]{2})*[\\\\]u[dD][89abAB][0-9a-fA-F]{2}(?![\\\\]u[dD][c-fC-F][0-9a-fA-F]{2})|(?<![\\\\]u[dD][89abAB][0-9a-fA-F]{2})(?<![\\\\])(?:[\\\\]{2})*[\\\\]u[dD][c-fC-F]'
), false) or coalesce((
    contains(image_before._text_1, '\\u') and (contains(image_before._text_1, '\\ud') or contains(image_before._text_1, '\\uD'))
    and image_before._text_1 rlike '(?<![\\\\])(?:[\\\\]{2})*[\\\\]u[dD][89abAB][0-9a-fA-F]{2}(?![\\\\]u[dD][c-fC-F][0-9a-fA-F]{2})|(?<![\\\\]u[dD][89abAB][0-9a-fA-F]{2})(?<![\\\\])(?:[\\\\]{2})*[\\\\]u[dD][c-fC-F]'
), false), 'profile holds half a character (a lone surrogate)', null)
  ), null
  ) as mapping_error
from (
  select
    *,
    try_cast(image_after.id as bigint) as after_id,
    if(image_after._record_1.city in ('__debezium_unavailable_value', 'X19kZWJleml1bV91bmF2YWlsYWJsZV92YWx1ZQ=='), null, try_cast(image_after._record_1.city as string)) as after_city,
    try_cast(document_1_after._record_3.is_open as boolean) as after_is_open,
    try_cast(image_after._record_1._record_2.lat as bigint) as after_lat,
    try_cast(image_before.id as bigint) as before_id,
    if(op = 'd', null, if(image_before._record_1.city in ('__debezium_unavailable_value', 'X19kZWJleml1bV91bmF2YWlsYWJsZV92YWx1ZQ=='), null, try_cast(image_before._record_1.city as string))) as before_city,
    if(op = 'd', null, try_cast(document_1_before._record_3.is_open as boolean)) as before_is_open,
    if(op = 'd', null, try_cast(image_before._record_1._record_2.lat as bigint)) as before_lat
  from (
    select
      *,
      case when schema_name = 'shop.sales.place' then case
        when schema_version in (1) then cast(from_json(if(concat('{"document":', if(trim(image_after._text_1) in ('', '__debezium_unavailable_value'), null, image_after._text_1), '}') rlike '[:,\\[](?<![0-9]:)\\s*-?[0-9]+(?:[.eE]|(?<=-0))', replace(replace(replace(regexp_replace(
        concat('{"document":', if(trim(image_after._text_1) in ('', '__debezium_unavailable_value'), null, image_after._text_1), '}'),
        '("(?:[^"\\\\]|\\\\.)*+")|(-?[0-9]++(?:[.][0-9]++(?:[eE][+-]?[0-9]++)?|[eE][+-]?[0-9]++)|-0(?![0-9.eE]))',
        '$1\ufdd0$2\ufdd1'
    ), '\ufdd0\ufdd1', ''), '\ufdd0', '"'), '\ufdd1', '"'), concat('{"document":', if(trim(image_after._text_1) in ('', '__debezium_unavailable_value'), null, image_after._text_1), '}')), '`_misfit` STRING, `document` STRUCT<`open`: BOOLEAN>', map('columnNameOfCorruptRecord', '_misfit'))
          as struct<_misfit: STRING, _record_3: struct<is_open: BOOLEAN>>)
      end end as document_1_after,
      case when schema_name = 'shop.sales.place' then case
        when schema_version in (1) then cast(from_json(if(concat('{"document":', if(trim(image_before._text_1) in ('', '__debezium_unavailable_value'), null, image_before._text_1), '}') rlike '[:,\\[](?<![0-9]:)\\s*-?[0-9]+(?:[.eE]|(?<=-0))', replace(replace(replace(regexp_replace(
        concat('{"document":', if(trim(image_before._text_1) in ('', '__debezium_unavailable_value'), null, image_before._text_1), '}'),
        '("(?:[^"\\\\]|\\\\.)*+")|(-?[0-9]++(?:[.][0-9]++(?:[eE][+-]?[0-9]++)?|[eE][+-]?[0-9]++)|-0(?![0-9.eE]))',
        '$1\ufdd0$2\ufdd1'
    ), '\ufdd0\ufdd1', ''), '\ufdd0', '"'), '\ufdd1', '"'), concat('{"document":', if(trim(image_before._text_1) in ('', '__debezium_unavailable_value'), null, image_before._text_1), '}')), '`_misfit` STRING, `document` STRUCT<`open`: BOOLEAN>', map('columnNameOfCorruptRecord', '_misfit'))
          as struct<_misfit: STRING, _record_3: struct<is_open: BOOLEAN>>)
      end end as document_1_before
    from (
    select
      * except (after, before),
      coalesce((
    contains(after, '\\u') and (contains(after, '\\ud') or contains(after, '\\uD'))
    and after rlike '(?<![\\\\])(?:[\\\\]{2})*[\\\\]u[dD][89abAB][0-9a-fA-F]{2}(?![\\\\]u[dD][c-fC-F][0-9a-fA-F]{2})|(?<![\\\\]u[dD][89abAB][0-9a-fA-F]{2})(?<![\\\\])(?:[\\\\]{2})*[\\\\]u[dD][c-fC-F]'
), false) or coalesce((
    contains(before, '\\u') and (contains(before, '\\ud') or contains(before, '\\uD'))
    and before rlike '(?<![\\\\])(?:[\\\\]{2})*[\\\\]u[dD][89abAB][0-9a-fA-F]{2}(?![\\\\]u[dD][c-fC-F][0-9a-fA-F]{2})|(?<![\\\\]u[dD][89abAB][0-9a-fA-F]{2})(?<![\\\\])(?:[\\\\]{2})*[\\\\]u[dD][c-fC-F]'
), false) as half_a_character,
      after as json_after,
      before as json_before,
      case when schema_name = 'shop.sales.place' then case
        when schema_version in (1) then cast(from_json(image_text_after, '`_misfit` STRING, `id` INT, `address` STRUCT<`city`: STRING, `geo`: STRUCT<`lat.1`: INT>>, `profile` STRING', map('columnNameOfCorruptRecord', '_misfit'))
          as struct<_misfit: STRING, id: INT, _record_1: struct<city: STRING, _record_2: struct<lat: INT>>, _text_1: STRING>)
      end end as image_after,
      case when schema_name = 'shop.sales.place' then case
        when schema_version in (1) then cast(from_json(image_text_before, '`_misfit` STRING, `id` INT, `address` STRUCT<`city`: STRING, `geo`: STRUCT<`lat.1`: INT>>, `profile` STRING', map('columnNameOfCorruptRecord', '_misfit'))
          as struct<_misfit: STRING, id: INT, _record_1: struct<city: STRING, _record_2: struct<lat: INT>>, _text_1: STRING>)
      end end as image_before,
      case when schema_name = 'shop.sales.place' then case
        when schema_version in (1) then from_json('{"id": "id", "_record_1": "address"}', 'map<string, string>')
      end end as typed_columns
    from (
      select
        *,
        if(has_fractions is not false and after rlike '[:,\\[](?<![0-9]:)\\s*-?[0-9]+(?:[.eE]|(?<=-0))', replace(replace(replace(regexp_replace(
        after,
        '("(?:[^"\\\\]|\\\\.)*+")|(-?[0-9]++(?:[.][0-9]++(?:[eE][+-]?[0-9]++)?|[eE][+-]?[0-9]++)|-0(?![0-9.eE]))',
        '$1\ufdd0$2\ufdd1'
    ), '\ufdd0\ufdd1', ''), '\ufdd0', '"'), '\ufdd1', '"'), after) as image_text_after,
        if(has_fractions is not false and before rlike '[:,\\[](?<![0-9]:)\\s*-?[0-9]+(?:[.eE]|(?<=-0))', replace(replace(replace(regexp_replace(
        before,
        '("(?:[^"\\\\]|\\\\.)*+")|(-?[0-9]++(?:[.][0-9]++(?:[eE][+-]?[0-9]++)?|[eE][+-]?[0-9]++)|-0(?![0-9.eE]))',
        '$1\ufdd0$2\ufdd1'
    ), '\ufdd0\ufdd1', ''), '\ufdd0', '"'), '\ufdd1', '"'), before) as image_text_before
      from landing.change_event
    )
    )
  )
)
where schema_name = 'shop.sales.place' and (schema_version in (1) or op = 't');

-- an entity that no block feeds yet
{{ mapping_nothing_sql([{'name': 'code', 'data_type': 'string', 'is_key': true}], 'landing.change_event') }};
--  versions 0: 0 of 1 attributes
select
  event_id, source_system, schema_name, schema_version, op, commit_position, committed_at, transaction_id,
  coalesce(after_code, before_code) as code,
  if(image_before is null, null, struct(before_code as code)) as before,
  if(image_after is null, null, struct(after_code as code)) as after,
  if(image_after is null, array(), array()) as present,
  if(
    if(image_after._misfit is not null or image_before._misfit is not null, concat_ws(': ', 'an image does not fit the types of its schema version', nullif(array_join(map_values(map_filter(
      typed_columns, (field, name) -> coalesce(not array_contains(json_object_keys(to_json(image_after)), field) and get_json_object(json_after, concat('$[\'', name, '\']')) is not null or not array_contains(json_object_keys(to_json(image_before)), field) and get_json_object(json_before, concat('$[\'', name, '\']')) is not null, false)
    )), ', '), '')), null) is not null
    or if(half_a_character, 'an image holds half a character (a lone surrogate)', null) is not null,
    concat_ws('; ',
    if(image_after._misfit is not null or image_before._misfit is not null, concat_ws(': ', 'an image does not fit the types of its schema version', nullif(array_join(map_values(map_filter(
      typed_columns, (field, name) -> coalesce(not array_contains(json_object_keys(to_json(image_after)), field) and get_json_object(json_after, concat('$[\'', name, '\']')) is not null or not array_contains(json_object_keys(to_json(image_before)), field) and get_json_object(json_before, concat('$[\'', name, '\']')) is not null, false)
    )), ', '), '')), null),
    if(half_a_character, 'an image holds half a character (a lone surrogate)', null)
  ), null
  ) as mapping_error
from (
  select
    *,
    cast(null as string) as after_code,
    cast(null as string) as before_code
  from (
    select
      * except (after, before),
      coalesce((
    contains(after, '\\u') and (contains(after, '\\ud') or contains(after, '\\uD'))
    and after rlike '(?<![\\\\])(?:[\\\\]{2})*[\\\\]u[dD][89abAB][0-9a-fA-F]{2}(?![\\\\]u[dD][c-fC-F][0-9a-fA-F]{2})|(?<![\\\\]u[dD][89abAB][0-9a-fA-F]{2})(?<![\\\\])(?:[\\\\]{2})*[\\\\]u[dD][c-fC-F]'
), false) or coalesce((
    contains(before, '\\u') and (contains(before, '\\ud') or contains(before, '\\uD'))
    and before rlike '(?<![\\\\])(?:[\\\\]{2})*[\\\\]u[dD][89abAB][0-9a-fA-F]{2}(?![\\\\]u[dD][c-fC-F][0-9a-fA-F]{2})|(?<![\\\\]u[dD][89abAB][0-9a-fA-F]{2})(?<![\\\\])(?:[\\\\]{2})*[\\\\]u[dD][c-fC-F]'
), false) as half_a_character,
      after as json_after,
      before as json_before,
      case when schema_name = '' then case
        when schema_version in (0) then from_json(image_text_after, '`_misfit` STRING', map('columnNameOfCorruptRecord', '_misfit'))
      end end as image_after,
      case when schema_name = '' then case
        when schema_version in (0) then from_json(image_text_before, '`_misfit` STRING', map('columnNameOfCorruptRecord', '_misfit'))
      end end as image_before,
      case when schema_name = '' then case
        when schema_version in (0) then from_json('{}', 'map<string, string>')
      end end as typed_columns
    from (
      select
        *,
        if(has_fractions is not false and after rlike '[:,\\[](?<![0-9]:)\\s*-?[0-9]+(?:[.eE]|(?<=-0))', replace(replace(replace(regexp_replace(
        after,
        '("(?:[^"\\\\]|\\\\.)*+")|(-?[0-9]++(?:[.][0-9]++(?:[eE][+-]?[0-9]++)?|[eE][+-]?[0-9]++)|-0(?![0-9.eE]))',
        '$1\ufdd0$2\ufdd1'
    ), '\ufdd0\ufdd1', ''), '\ufdd0', '"'), '\ufdd1', '"'), after) as image_text_after,
        if(has_fractions is not false and before rlike '[:,\\[](?<![0-9]:)\\s*-?[0-9]+(?:[.eE]|(?<=-0))', replace(replace(replace(regexp_replace(
        before,
        '("(?:[^"\\\\]|\\\\.)*+")|(-?[0-9]++(?:[.][0-9]++(?:[eE][+-]?[0-9]++)?|[eE][+-]?[0-9]++)|-0(?![0-9.eE]))',
        '$1\ufdd0$2\ufdd1'
    ), '\ufdd0\ufdd1', ''), '\ufdd0', '"'), '\ufdd1', '"'), before) as image_text_before
      from landing.change_event
    )
  )
)
where schema_name = '' and schema_version in (0);

-- D_P from the stored blocks
{{ mapping_decompact('unique_block', 'schema_tree') }};
-- entrepot: mapping_decompact, D_P from the stored blocks of unique_block (METL, algorithm 4)
with
super_block as (
  with
  schema_version as (
    select
      schema,
      version,
      collect_set(attribute) as names,
      array_sort(collect_set(struct(renamed_from, attribute)) filter (where renamed_from <> '')) as renames
    from schema_tree
    group by schema, version
  ),
  schema_history as (
    select schema, array_sort(collect_list(struct(version, names, renames))) as versions
    from schema_version
    group by schema
  ),
  block as (
    select
      schema,
      version,
      entity,
      collect_set(struct(entity_version, attribute, entity_attribute))
        filter (where attribute <> '' and entity_attribute <> '') as elements
    from unique_block
    group by schema, version, entity
  )
  select schema, entity, any_value(versions) as versions, map_from_entries(collect_list(struct(version, elements))) as blocks
  from block join schema_history using (schema)
  group by schema, entity
),
walk as (
  select schema, entity, explode(aggregate(
    versions,
    cast(array() as array<struct<
      version: int,
      names: array<string>,
      elements: array<struct<entity_version: int, attribute: string, entity_attribute: string>>
    >>),
    (walked, next) -> array_append(walked, struct(
      next.version,
      next.names,
      coalesce(
        blocks[next.version],
        filter(
          transform(try_element_at(walked, -1).elements, element -> struct(
            element.entity_version,
            if(
              array_contains(next.names, element.attribute),
              element.attribute,
              get(filter(next.renames, rename ->
                rename.renamed_from = element.attribute and not array_contains(try_element_at(walked, -1).names, rename.attribute)
              ), 0).attribute
            ) as attribute,
            element.entity_attribute
          )),
          element -> element.attribute is not null
        ),
        array()
      ) as elements
    ))
  )) as block
  from super_block
)
select schema, block.version, entity, element.entity_version, element.attribute, element.entity_attribute
from walk lateral view explode(block.elements) as element;

-- D_U from D_P
{{ mapping_compact('balanced_set', 'schema_tree') }};
-- entrepot: mapping_compact, D_U from the blocks of balanced_set (METL, algorithm 3)
with
super_block as (
  with
  schema_version as (
    select
      schema,
      version,
      collect_set(attribute) as names,
      array_sort(collect_set(struct(renamed_from, attribute)) filter (where renamed_from <> '')) as renames
    from schema_tree
    group by schema, version
  ),
  schema_history as (
    select schema, array_sort(collect_list(struct(version, names, renames))) as versions
    from schema_version
    group by schema
  ),
  block as (
    select
      schema,
      version,
      entity,
      collect_set(struct(entity_version, attribute, entity_attribute))
        filter (where attribute <> '' and entity_attribute <> '') as elements
    from balanced_set
    group by schema, version, entity
  )
  select schema, entity, any_value(versions) as versions, map_from_entries(collect_list(struct(version, elements))) as blocks
  from block join schema_history using (schema)
  group by schema, entity
),
step as (
  select schema, entity, inline(transform(versions, (next, number) -> struct(
    next.version,
    next,
    coalesce(blocks[next.version], array()) as elements,
    struct(
      get(versions, number - 1).names as names,
      coalesce(blocks[get(versions, number - 1).version], array()) as elements
    ) as before
  )))
  from super_block
)
select
  schema,
  version,
  entity,
  coalesce(element.entity_version, get(before.elements, 0).entity_version) as entity_version,
  element.attribute,
  element.entity_attribute
from step lateral view outer explode(elements) as element
where size(elements) <> size(before.elements)
  or array_sort(elements) <> array_sort(filter(
    transform(before.elements, element -> struct(
      element.entity_version,
      if(
        array_contains(next.names, element.attribute),
        element.attribute,
        get(filter(next.renames, rename ->
          rename.renamed_from = element.attribute and not array_contains(before.names, rename.attribute)
        ), 0).attribute
      ) as attribute,
      element.entity_attribute
    )),
    element -> element.attribute is not null
  ));

-- a decimal of at most 18 digits is a 64-bit number
{{ mapping_decimal('image.amount', 12, 2) }};
try_cast(if(length(hex(if(image.amount rlike '^[0-9A-Za-z+/]*={0,2}$' and length(image.amount) % 4 = 0, try_to_binary(image.amount, 'base64'), null))) between 2 and 16, conv(lpad(hex(if(image.amount rlike '^[0-9A-Za-z+/]*={0,2}$' and length(image.amount) % 4 = 0, try_to_binary(image.amount, 'base64'), null)), 16, if(hex(if(image.amount rlike '^[0-9A-Za-z+/]*={0,2}$' and length(image.amount) % 4 = 0, try_to_binary(image.amount, 'base64'), null)) < '8', '0', 'F')), 16, -10), null) as decimal(18, 0)) * cast('1e-2' as decimal(3, 2));

-- a decimal without digits after the point
{{ mapping_decimal('image.amount', 10, 0) }};
try_cast(if(length(hex(if(image.amount rlike '^[0-9A-Za-z+/]*={0,2}$' and length(image.amount) % 4 = 0, try_to_binary(image.amount, 'base64'), null))) between 2 and 16, conv(lpad(hex(if(image.amount rlike '^[0-9A-Za-z+/]*={0,2}$' and length(image.amount) % 4 = 0, try_to_binary(image.amount, 'base64'), null)), 16, if(hex(if(image.amount rlike '^[0-9A-Za-z+/]*={0,2}$' and length(image.amount) % 4 = 0, try_to_binary(image.amount, 'base64'), null)) < '8', '0', 'F')), 16, -10), null) as decimal(18, 0));

-- a long decimal is put together from words of 32 bits
{{ mapping_decimal('image.amount', 38, 10) }};
try_cast(transform(
  array(struct(nullif(hex(if(image.amount rlike '^[0-9A-Za-z+/]*={0,2}$' and length(image.amount) % 4 = 0, try_to_binary(image.amount, 'base64'), null)), '') as bits, 10 as scale)),
  sent -> transform(
    array(cast(aggregate(
      transform(
        sequence(0, (length(sent.bits) - 1) div 8),
        word -> cast(conv(substr(lpad(
          if(sent.bits >= '8', translate(sent.bits, '0123456789ABCDEF', 'FEDCBA9876543210'), sent.bits),
          ((length(sent.bits) - 1) div 8 + 1) * 8, '0'
        ), word * 8 + 1, 8), 16, 10) as decimal(38, 0))
      ),
      cast(0 as decimal(38, 0)),
      (sum, word) -> try_cast(try_add(try_multiply(sum, cast(4294967296 as decimal(38, 0))), word) as decimal(38, 0))
    ) + if(sent.bits >= '8', 1, 0) as string)),
    magnitude -> if(sent.scale between -1000 and 20000, concat(
      if(sent.bits >= '8', '-', ''),
      left(lpad(magnitude, greatest(sent.scale + 1, length(magnitude)), '0'), greatest(sent.scale + 1, length(magnitude)) - greatest(sent.scale, 0)),
      if(magnitude = '0', '', repeat('0', -sent.scale)),
      if(sent.scale > 0, concat('.', right(lpad(magnitude, greatest(sent.scale + 1, length(magnitude)), '0'), sent.scale)), '')
    ), null)
  )[0]
)[0] as decimal(38, 10));

-- a decimal whose scale travels with it
{{ mapping_decimal('image.amount.value', 38, 'image.amount.scale') }};
try_cast(transform(
  array(struct(nullif(hex(if(image.amount.value rlike '^[0-9A-Za-z+/]*={0,2}$' and length(image.amount.value) % 4 = 0, try_to_binary(image.amount.value, 'base64'), null)), '') as bits, image.amount.scale as scale)),
  sent -> transform(
    array(cast(aggregate(
      transform(
        sequence(0, (length(sent.bits) - 1) div 8),
        word -> cast(conv(substr(lpad(
          if(sent.bits >= '8', translate(sent.bits, '0123456789ABCDEF', 'FEDCBA9876543210'), sent.bits),
          ((length(sent.bits) - 1) div 8 + 1) * 8, '0'
        ), word * 8 + 1, 8), 16, 10) as decimal(38, 0))
      ),
      cast(0 as decimal(38, 0)),
      (sum, word) -> try_cast(try_add(try_multiply(sum, cast(4294967296 as decimal(38, 0))), word) as decimal(38, 0))
    ) + if(sent.bits >= '8', 1, 0) as string)),
    magnitude -> if(sent.scale between -1000 and 20000, concat(
      if(sent.bits >= '8', '-', ''),
      left(lpad(magnitude, greatest(sent.scale + 1, length(magnitude)), '0'), greatest(sent.scale + 1, length(magnitude)) - greatest(sent.scale, 0)),
      if(magnitude = '0', '', repeat('0', -sent.scale)),
      if(sent.scale > 0, concat('.', right(lpad(magnitude, greatest(sent.scale + 1, length(magnitude)), '0'), sent.scale)), '')
    ), null)
  )[0]
)[0] as decimal(38, image.amount.scale));

-- an array within the values of a map: keys and values, sorted by key
{{ entrepot.mapping_entity_sql(
  [{'schema': 's', 'versions': [1], 'first_version': 1, 'elements': [
    {'attribute': 'all{}[].n', 'data_type': 'bigint', 'entity_attribute': 'all{}[].number', 'parents': [{'attribute': 'all', 'data_type': 'map'}]}
  ]}],
  [{'name': 'all{}[].number', 'data_type': 'smallint', 'is_key': false}],
  'events'
) }};
-- s versions 1: 1 of 1 attributes
select
  event_id, source_system, schema_name, schema_version, op, commit_position, committed_at, transaction_id,
  if(image_before is null, null, struct(before_all as all)) as before,
  if(image_after is null, null, struct(after_all as all)) as after,
  if(image_after is null, array(), array_compact(array(if(map_contains_key(image_after._record_1, '__debezium_unavailable_value'), null, 'all')))) as present,
  if(
    if(image_after._misfit is not null or image_before._misfit is not null, concat_ws(': ', 'an image does not fit the types of its schema version', nullif(array_join(map_values(map_filter(
      typed_columns, (field, name) -> coalesce(not array_contains(json_object_keys(to_json(image_after)), field) and get_json_object(json_after, concat('$[\'', name, '\']')) is not null or not array_contains(json_object_keys(to_json(image_before)), field) and get_json_object(json_before, concat('$[\'', name, '\']')) is not null, false)
    )), ', '), '')), null) is not null
    or if(half_a_character, 'an image holds half a character (a lone surrogate)', null) is not null
    or if(coalesce(size(array_distinct(map_keys(image_after._record_1))) < size(map_keys(image_after._record_1)), false), 'all{} has a key twice', null) is not null
    or if(exists(transform(if(size(array_distinct(map_keys(image_after._record_1))) < size(map_keys(image_after._record_1)), null, array_sort(map_entries(image_after._record_1), (one, other) -> case when one.key < other.key then -1 when one.key > other.key then 1 else 0 end)), (element, index) -> coalesce(exists(transform(element.value, (element_2, index_2) -> coalesce((element_2.`all{}[].number` is not null and (get(get(after_all, index).value, index_2).number is null)), false)), is_so -> is_so), false)), is_so -> is_so), 'all{}[].number does not fit smallint', null) is not null,
    concat_ws('; ',
    if(image_after._misfit is not null or image_before._misfit is not null, concat_ws(': ', 'an image does not fit the types of its schema version', nullif(array_join(map_values(map_filter(
      typed_columns, (field, name) -> coalesce(not array_contains(json_object_keys(to_json(image_after)), field) and get_json_object(json_after, concat('$[\'', name, '\']')) is not null or not array_contains(json_object_keys(to_json(image_before)), field) and get_json_object(json_before, concat('$[\'', name, '\']')) is not null, false)
    )), ', '), '')), null),
    if(half_a_character, 'an image holds half a character (a lone surrogate)', null),
    if(coalesce(size(array_distinct(map_keys(image_after._record_1))) < size(map_keys(image_after._record_1)), false), 'all{} has a key twice', null),
    if(exists(transform(if(size(array_distinct(map_keys(image_after._record_1))) < size(map_keys(image_after._record_1)), null, array_sort(map_entries(image_after._record_1), (one, other) -> case when one.key < other.key then -1 when one.key > other.key then 1 else 0 end)), (element, index) -> coalesce(exists(transform(element.value, (element_2, index_2) -> coalesce((element_2.`all{}[].number` is not null and (get(get(after_all, index).value, index_2).number is null)), false)), is_so -> is_so), false)), is_so -> is_so), 'all{}[].number does not fit smallint', null)
  ), null
  ) as mapping_error
from (
  select
    *,
    if(size(array_distinct(map_keys(image_after._record_1))) < size(map_keys(image_after._record_1)) or map_contains_key(image_after._record_1, '__debezium_unavailable_value'), null, transform(array_sort(map_entries(image_after._record_1), (one, other) -> case when one.key < other.key then -1 when one.key > other.key then 1 else 0 end), element -> struct(element.key as key, transform(element.value, (element_2, index_2) -> if(element_2 is null, null, struct(try_cast(element_2.`all{}[].number` as smallint) as number))) as value))) as after_all,
    if(op = 'd', null, if(size(array_distinct(map_keys(image_before._record_1))) < size(map_keys(image_before._record_1)) or map_contains_key(image_before._record_1, '__debezium_unavailable_value'), null, transform(array_sort(map_entries(image_before._record_1), (one, other) -> case when one.key < other.key then -1 when one.key > other.key then 1 else 0 end), element -> struct(element.key as key, transform(element.value, (element_2, index_2) -> if(element_2 is null, null, struct(try_cast(element_2.`all{}[].number` as smallint) as number))) as value)))) as before_all
  from (
    select
      * except (after, before),
      coalesce((
    contains(after, '\\u') and (contains(after, '\\ud') or contains(after, '\\uD'))
    and after rlike '(?<![\\\\])(?:[\\\\]{2})*[\\\\]u[dD][89abAB][0-9a-fA-F]{2}(?![\\\\]u[dD][c-fC-F][0-9a-fA-F]{2})|(?<![\\\\]u[dD][89abAB][0-9a-fA-F]{2})(?<![\\\\])(?:[\\\\]{2})*[\\\\]u[dD][c-fC-F]'
), false) or coalesce((
    contains(before, '\\u') and (contains(before, '\\ud') or contains(before, '\\uD'))
    and before rlike '(?<![\\\\])(?:[\\\\]{2})*[\\\\]u[dD][89abAB][0-9a-fA-F]{2}(?![\\\\]u[dD][c-fC-F][0-9a-fA-F]{2})|(?<![\\\\]u[dD][89abAB][0-9a-fA-F]{2})(?<![\\\\])(?:[\\\\]{2})*[\\\\]u[dD][c-fC-F]'
), false) as half_a_character,
      after as json_after,
      before as json_before,
      case when schema_name = 's' then case
        when schema_version in (1) then cast(from_json(image_text_after, '`_misfit` STRING, `all` MAP<STRING, ARRAY<STRUCT<`n`: BIGINT>>>', map('columnNameOfCorruptRecord', '_misfit'))
          as struct<_misfit: STRING, _record_1: MAP<STRING, ARRAY<struct<`all{}[].number`: BIGINT>>>>)
      end end as image_after,
      case when schema_name = 's' then case
        when schema_version in (1) then cast(from_json(image_text_before, '`_misfit` STRING, `all` MAP<STRING, ARRAY<STRUCT<`n`: BIGINT>>>', map('columnNameOfCorruptRecord', '_misfit'))
          as struct<_misfit: STRING, _record_1: MAP<STRING, ARRAY<struct<`all{}[].number`: BIGINT>>>>)
      end end as image_before,
      case when schema_name = 's' then case
        when schema_version in (1) then from_json('{"_record_1": "all"}', 'map<string, string>')
      end end as typed_columns
    from (
      select
        *,
        if(has_fractions is not false and after rlike '[:,\\[](?<![0-9]:)\\s*-?[0-9]+(?:[.eE]|(?<=-0))', replace(replace(replace(regexp_replace(
        after,
        '("(?:[^"\\\\]|\\\\.)*+")|(-?[0-9]++(?:[.][0-9]++(?:[eE][+-]?[0-9]++)?|[eE][+-]?[0-9]++)|-0(?![0-9.eE]))',
        '$1\ufdd0$2\ufdd1'
    ), '\ufdd0\ufdd1', ''), '\ufdd0', '"'), '\ufdd1', '"'), after) as image_text_after,
        if(has_fractions is not false and before rlike '[:,\\[](?<![0-9]:)\\s*-?[0-9]+(?:[.eE]|(?<=-0))', replace(replace(replace(regexp_replace(
        before,
        '("(?:[^"\\\\]|\\\\.)*+")|(-?[0-9]++(?:[.][0-9]++(?:[eE][+-]?[0-9]++)?|[eE][+-]?[0-9]++)|-0(?![0-9.eE]))',
        '$1\ufdd0$2\ufdd1'
    ), '\ufdd0\ufdd1', ''), '\ufdd0', '"'), '\ufdd1', '"'), before) as image_text_before
      from events
    )
  )
)
where schema_name = 's' and (schema_version in (1) or op = 't');
