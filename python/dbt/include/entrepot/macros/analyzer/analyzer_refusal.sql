{#- Why a SELECT has no one right result, in words; none where it has. What depends on the moment, on chance or on the order in
    which rows happen to come cannot be kept up, and a recompute gives something else each time. -#}
{% macro analyzer_refusal(nodes, code) %}
  {{ return(analyzer_moment(nodes, code) or analyzer_foreign(nodes) or analyzer_any_order(nodes)) }}
{% endmacro %}


{#- What depends on an order in which rows may be equal, as far as keys that are known tell; none where nothing does. -#}
{% macro analyzer_untold(nodes, results) %}
  {{ return(analyzer_limit(nodes, results) or analyzer_ties(nodes, results) or analyzer_best(nodes, results)) }}
{% endmacro %}


{#- `max_by` and `min_by` by something that two rows of a group may have alike. -#}
{% macro analyzer_best(nodes, results) %}
  {%- for node in nodes if node.kind == 'Aggregate' -%}
    {%- set lists = analyzer_lists(node.text) -%}
    {%- set groups = analyzer_sort_ids(lists[0]) if lists | length > 1 else [] -%}
    {%- set keys = results.get(node.children[0], {'keys': []})['keys'] -%}
    {%- for found in modules.re.finditer('(?<![\\w.`])(max_by|min_by)\\(', node.text) -%}
      {%- set order = analyzer_arguments(node.text[found.end():]) | last -%}
      {%- set fields = modules.re.fullmatch('(?:named_)?struct\\((.*)\\)', order) -%}
      {%- set ids = analyzer_sort_ids(analyzer_arguments(fields.group(1) ~ ')') if fields else [order]) -%}
      {%- if not analyzer_is_total(groups + ids, keys) -%}
        {{ return(found.group(1) ~ '() over an order in which rows may be equal') }}
      {%- endif -%}
    {%- endfor -%}
  {%- endfor -%}
  {{ return(none) }}
{% endmacro %}


{#- Functions of the moment, of chance, or of where a row is stored. -#}
{% macro analyzer_moment(nodes, code) %}
  {%- set functions = '(rand|randn|random|randstr|uniform|uuid|shuffle|monotonically_increasing_id|spark_partition_id|input_file_name'
    ~ '|input_file_block_start|input_file_block_length|current_timestamp|now|localtimestamp|current_date|curdate|current_time|current_user'
    ~ '|session_user|user|current_database|current_schema|current_catalog|java_method|reflect|unix_timestamp)' -%}
  {%- for node in nodes -%}
    {%- for found in modules.re.finditer('(?<![\\w.`])' ~ functions ~ '\\(', node.text) -%}
      {%- set name = found.group(1) -%}
      {%- set has_argument = name == 'unix_timestamp' and not node.text[found.end():].startswith('current_timestamp') -%}
      {%- set names = {'current_date': 'current_date|curdate', 'current_timestamp': 'current_timestamp|now'}.get(name, name) -%}
      {%- if not has_argument and modules.re.search('(?i)(?<![\\w.`])(?:' ~ names ~ ')(?!\\w)', code) -%}
        {{ return(name ~ '(), which gives something else each time') }}
      {%- endif -%}
    {%- endfor -%}
    {%- set day = modules.re.search('cast\\(((?:now|today|tomorrow|yesterday)(?: [^()]*)?) as (?:date|timestamp\\w*)\\)', node.text) -%}
    {%- if day -%}
      {{ return("'" ~ day.group(1) ~ "' as a date or time, which is another one each day") }}
    {%- endif -%}
  {%- endfor -%}
  {{ return(none) }}
{% endmacro %}


{#- Tables that are named without ref() or source(): nobody would see their changes. -#}
{% macro analyzer_foreign(nodes) %}
  {%- for node in nodes if node.kind in ['Relation', 'View', 'RelationV2', 'HiveTableRelation', 'LogicalRDD'] -%}
    {%- if not analyzer_aliases_above(nodes, node.number) -%}
      {{ return(node.text.split('[')[0] | trim ~ ', which is named without ref() or source(), so that its changes are not seen') }}
    {%- endif -%}
  {%- endfor -%}
  {{ return(none) }}
{% endmacro %}


{#- The names of our own aliases among the two operators above a leaf. -#}
{% macro analyzer_aliases_above(nodes, number) %}
  {%- set found = [] -%}
  {%- for node in nodes[([number - 2, 0] | max):number] if node.kind == 'SubqueryAlias' and node.text.startswith('_occurrence_') -%}
    {%- do found.append(node.text) -%}
  {%- endfor -%}
  {{ return(found) }}
{% endmacro %}


{#- LIMIT is right only over a sort that tells all rows apart. -#}
{% macro analyzer_limit(nodes, results) %}
  {%- for node in nodes if node.kind in ['GlobalLimit', 'Offset', 'Tail', 'Sample'] -%}
    {%- set below = nodes[node.number + 1:node.number + 5] | rejectattr('kind', 'in', ['LocalLimit', 'GlobalLimit', 'Offset', 'Project']) | first -%}
    {%- set sorted = below is defined and below.kind == 'Sort' and below.number in results
      and analyzer_is_total(analyzer_sort_ids(analyzer_lists(below.text)[0]), results[below.number]['keys']) -%}
    {%- if node.kind == 'Sample' or not sorted -%}
      {{ return('tablesample' if node.kind == 'Sample' else 'limit over an order in which rows may be equal') }}
    {%- endif -%}
  {%- endfor -%}
  {{ return(none) }}
{% endmacro %}


{#- Window functions that count rows one by one, where two rows may be equal in the order. -#}
{% macro analyzer_ties(nodes, results) %}
  {%- for node in nodes if node.kind == 'Window' -%}
    {%- set lists = analyzer_lists(node.text) -%}
    {%- set ids = [] -%}
    {%- for list in lists[1:] -%}
      {%- do ids.extend(analyzer_sort_ids(list)) -%}
    {%- endfor -%}
    {%- set input = results.get(node.children[0], {'keys': []}) -%}
    {%- for item in lists[0] if not analyzer_is_total(ids, input['keys']) -%}
      {%- set function = item.split('(')[0] -%}
      {%- set by_rows = 'specifiedwindowframe(RowFrame' in item and 'unboundedpreceding$(), unboundedfollowing$()' not in item -%}
      {%- if function in ['row_number', 'ntile', 'lag', 'lead', 'first', 'last', 'first_value', 'last_value', 'nth_value', 'max_by', 'min_by', 'mode', 'any_value', 'collect_list', 'listagg']
          or by_rows and function not in ['rank', 'dense_rank', 'percent_rank', 'cume_dist'] -%}
        {{ return(function ~ '() over an order in which rows may be equal') }}
      {%- endif -%}
    {%- endfor -%}
  {%- endfor -%}
  {{ return(none) }}
{% endmacro %}


{#- Aggregates that take whichever row comes first, or list rows as they come. -#}
{% macro analyzer_any_order(nodes) %}
  {%- for node in nodes if node.kind == 'Aggregate' -%}
    {%- set found = modules.re.search('(?<![\\w.`])(?<!sort_array\\()(?<!array_sort\\()(first|last|first_value|last_value|any_value|mode|collect_list|collect_set|listagg)\\(', node.text) -%}
    {%- if found and not (found.group(1) == 'listagg' and ' WITHIN GROUP ' in node.text | upper) -%}
      {{ return(found.group(1) ~ '(), which depends on the order in which rows come (min, max and sort_array(collect_list(…)) do not)') }}
    {%- endif -%}
  {%- endfor -%}
  {{ return(none) }}
{% endmacro %}


{#- The ids of the plain columns that a list sorts or partitions by. -#}
{% macro analyzer_sort_ids(items) %}
  {%- set ids = [] -%}
  {%- for item in items -%}
    {%- set column = analyzer_column(modules.re.sub(' (?:ASC|DESC) NULLS (?:FIRST|LAST)$', '', item)) -%}
    {%- if column -%}
      {%- do ids.append(column.id) -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return(ids) }}
{% endmacro %}


{#- Whether one of the keys is within `ids`. -#}
{% macro analyzer_is_total(ids, keys) %}
  {%- for key in keys if key and not key | reject('in', ids) | list -%}
    {{ return(true) }}
  {%- endfor -%}
  {{ return(false) }}
{% endmacro %}
