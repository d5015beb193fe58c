{#- A leaf: its columns, traced to nothing until an alias says which occurrence it is. -#}
{% macro analyzer_leaf(node) %}
  {%- set lists = analyzer_lists(node.text) -%}
  {%- set items = lists[0] if lists else [] -%}
  {{ return({'out': analyzer_ids(items), 'items': items, 'trace': {}, 'types': {}, 'leaves': [], 'origin': {}, 'keys': []}) }}
{% endmacro %}


{#- An alias; one that we have set, `_occurrence_<number>`, says which occurrence of an upstream is below. -#}
{% macro analyzer_alias(node, input, occurrences) %}
  {%- set result = analyzer_copy(input) -%}
  {%- if not node.text.startswith('_occurrence_') -%}
    {%- do result.update({'items': input.get('items')}) -%}
    {{ return(result) }}
  {%- endif -%}
  {%- set number = node.text.replace('_occurrence_', '') -%}
  {%- set occurrence = occurrences[number | int] -%}
  {%- do result.update({'leaves': [number], 'trace': {}, 'types': {}, 'origin': {}, 'keys': []}) -%}
  {%- set ids = {} -%}
  {%- for item in input.get('items') or [] -%}
    {%- set found = modules.re.fullmatch('(\\w+)#(\\d+)L?', item) -%}
    {%- if found and found.group(1) in occurrence.columns -%}
      {%- do ids.update({found.group(1) | lower: found.group(2)}) -%}
      {%- do result.trace.update({found.group(2): {number: found.group(1)}}) -%}
      {%- do result.origin.update({found.group(2): [number, found.group(1)]}) -%}
      {%- do result.types.update({found.group(2): occurrence.columns[found.group(1)]}) -%}
    {%- endif -%}
  {%- endfor -%}
  {%- set key = [] -%}
  {%- for column in occurrence.unique_key if column | lower in ids -%}
    {%- do key.append(ids[column | lower]) -%}
  {%- endfor -%}
  {%- if key and key | length == occurrence.unique_key | length -%}
    {%- do result.update({'keys': [key]}) -%}
  {%- endif -%}
  {{ return(result) }}
{% endmacro %}


{#- A mention of a CTE: its definition's result under the mention's own ids and occurrences. -#}
{% macro analyzer_mention(node, nodes, results) %}
  {%- set definition = namespace(result=none) -%}
  {%- set cte = node.text.split(',')[0] -%}
  {%- for other in nodes if other.kind == 'CTERelationDef' and other.text.split(',')[0] == cte and other.number in results -%}
    {%- set definition.result = results[other.number] -%}
  {%- endfor -%}
  {%- set ids = analyzer_ids(analyzer_lists(node.text)[0]) if '[' in node.text else [] -%}
  {%- if definition.result is none or ids | length != definition.result.out | length -%}
    {{ return('a WITH clause inside a subquery') }}
  {%- endif -%}
  {%- set renamed = {} -%}
  {%- set result = {'out': ids, 'trace': {}, 'types': {}, 'leaves': [], 'origin': {}, 'keys': [], 'is_by_row': definition.result.is_by_row} -%}
  {%- for id in definition.result.out -%}
    {%- do renamed.update({id: ids[loop.index0]}) -%}
    {%- set trace = {} -%}
    {%- for occurrence, column in definition.result.trace.get(id, {}).items() -%}
      {%- do trace.update({occurrence ~ '/' ~ node.number: column}) -%}
    {%- endfor -%}
    {%- do result.trace.update({ids[loop.index0]: trace}) -%}
    {%- do result.types.update({ids[loop.index0]: definition.result.types.get(id)}) -%}
    {%- if id in definition.result.origin -%}
      {%- set occurrence, column = definition.result.origin[id] -%}
      {%- do result.origin.update({ids[loop.index0]: [occurrence ~ '/' ~ node.number, column]}) -%}
    {%- endif -%}
  {%- endfor -%}
  {%- for leaf in definition.result.leaves -%}
    {%- do result.leaves.append(leaf ~ '/' ~ node.number) -%}
  {%- endfor -%}
  {%- set grouping = definition.result.grouping -%}
  {%- do result.update({
    'keys': analyzer_keys_renamed(definition.result['keys'], renamed),
    'grouping': analyzer_grouping_renamed(grouping, renamed) if grouping else none,
  }) -%}
  {{ return(result) }}
{% endmacro %}


{#- A projection: columns keep their trace under the same id or under a new name; `coalesce` of the two sides of a full
    join's equality has both. An item without an id is a piece of a text with a comma. -#}
{% macro analyzer_project(items, input) %}
  {%- if none in analyzer_ids(items) -%}
    {{ return('a text that looks like a part of a plan') }}
  {%- endif -%}
  {%- set result = {'out': analyzer_ids(items), 'trace': {}, 'types': {}, 'leaves': input.leaves, 'origin': {}, 'keys': []} -%}
  {%- set names = {} -%}
  {%- for item in items -%}
    {%- set id = result.out[loop.index0] -%}
    {%- set column = analyzer_same_column(item.rsplit(' AS ', 1)[0], input.types) -%}
    {%- set pair = modules.re.match('coalesce\\(\\w+#(\\d+)L?, \\w+#(\\d+)L?\\) AS ', item) -%}
    {%- if id is not none and column -%}
      {%- do result.trace.update({id: input.trace.get(column.id, {})}) -%}
      {%- do result.types.update({id: column.cast_to or input.types.get(column.id)}) -%}
      {%- do names.setdefault(column.id, id) -%}
      {%- if column.id in input.origin -%}
        {%- do result.origin.update({id: input.origin[column.id]}) -%}
      {%- endif -%}
    {%- elif id is not none and pair and pair.groups() | join('=') in input.get('pairs', {}) -%}
      {%- do result.trace.update({id: input.pairs[pair.groups() | join('=')]}) -%}
    {%- endif -%}
  {%- endfor -%}
  {%- do result.update({'keys': analyzer_keys_renamed(input['keys'], names)}) -%}
  {{ return(result) }}
{% endmacro %}


{#- Keys under other ids, {old: new}; those that have lost a column are none any more. -#}
{% macro analyzer_keys_renamed(keys, names) %}
  {%- set renamed = [] -%}
  {%- for key in keys if not key | reject('in', names) | list -%}
    {%- set ours = [] -%}
    {%- for id in key -%}
      {%- do ours.append(names[id]) -%}
    {%- endfor -%}
    {%- do renamed.append(ours) -%}
  {%- endfor -%}
  {{ return(renamed) }}
{% endmacro %}


{#- An aggregate: the columns that it groups by keep their trace. Without any, everything is one group. -#}
{% macro analyzer_aggregate(lists, input) %}
  {%- set groups = lists[0] if lists | length > 1 else [] -%}
  {%- set plain = [] -%}
  {%- for item in groups if analyzer_column(item) and not analyzer_column(item).cast_to -%}
    {%- do plain.append(analyzer_column(item).id) -%}
  {%- endfor -%}
  {%- set kept = analyzer_copy(input) -%}
  {%- do kept.update({'trace': {}, 'pairs': {}, 'keys': []}) -%}
  {%- for id in plain -%}
    {%- do kept.trace.update({id: input.trace.get(id, {})}) -%}
  {%- endfor -%}
  {%- set result = analyzer_project(lists[-1], kept) -%}
  {%- if result is string -%}
    {{ return(result) }}
  {%- endif -%}
  {%- set key = [] -%}
  {%- set shown = [] -%}
  {%- for item in lists[-1] if groups -%}
    {%- if item.rsplit(' AS ', 1)[0] in groups and result.out[loop.index0] -%}
      {%- do key.append(result.out[loop.index0]) -%}
      {%- do shown.append(item.rsplit(' AS ', 1)[0]) -%}
    {%- endif -%}
  {%- endfor -%}
  {%- do result.update({'keys': [key] if groups and not groups | reject('in', shown) | list else []}) -%}
  {{ return(result) }}
{% endmacro %}


{#- Windows: only the columns by which every one of them is partitioned keep their trace. -#}
{% macro analyzer_window(node, input) %}
  {%- set result = analyzer_copy(input) -%}
  {%- set lists = analyzer_lists(node.text) -%}
  {%- do result.update({'out': input.out + analyzer_ids(lists[0]), 'trace': {}, 'pairs': {}}) -%}
  {%- for item in lists[1] if lists | length > 1 and not modules.re.search(' (?:ASC|DESC) NULLS (?:FIRST|LAST)$', item) -%}
    {%- set column = analyzer_column(item) -%}
    {%- if column and not column.cast_to -%}
      {%- do result.trace.update({column.id: input.trace.get(column.id, {})}) -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return(result) }}
{% endmacro %}


{#- Union, except, intersect: column by column; rows of one value on all sides. -#}
{% macro analyzer_set(kind, inputs) %}
  {%- for input in inputs if input.out | length != inputs[0].out | length or none in input.out -%}
    {{ return('a text that looks like a part of a plan') }}
  {%- endfor -%}
  {%- set result = analyzer_copy(inputs[0]) -%}
  {%- do result.update({'trace': {}, 'types': {}, 'pairs': {}, 'origin': {}, 'leaves': inputs | map(attribute='leaves') | sum(start=[])}) -%}
  {%- if kind == 'Union' -%}
    {%- do result.update({'keys': []}) -%}
  {%- endif -%}
  {%- for id in inputs[0].out -%}
    {%- set position = loop.index0 -%}
    {%- set trace = {} -%}
    {%- set types = [] -%}
    {%- for input in inputs -%}
      {%- do trace.update(input.trace.get(input.out[position], {})) -%}
      {%- do types.append(input.types.get(input.out[position])) -%}
    {%- endfor -%}
    {%- do result.trace.update({id: trace}) -%}
    {%- if types | unique | list | length == 1 -%}
      {%- do result.types.update({id: types[0]}) -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return(result) }}
{% endmacro %}
