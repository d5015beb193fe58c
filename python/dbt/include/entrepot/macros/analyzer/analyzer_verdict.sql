{#- What a model's analyzed plan allows, as a dict
      join     none where rule `join` is right, else what it is wrong for, in words
      aggregate what rule `aggregate` needs to know (see `analyzer_aggregate_rule`); none where it is not right
      scopes   {column of the result: {mention: column of the upstream}}: rows of the result with one value of the column
               need no rows of the mention with another value. A mention is an occurrence's number, followed by `/…` in a CTE
      stems    {column of the result: mention that it is a column of, row by row}
      bridges  [[from, to], {column: column}] of mentions: a change of a row of `from` concerns only rows that stem from rows of
               `to` with equal columns
      mentions every mention of an upstream in the plan
      unknown  an operator that the analyzer does not know; none where it knows all
      columns  the names of the result's columns, in their order
      types    their types
      has_with whether there is a WITH clause
      refused  why the SELECT has no one right result, in words; none where it has
      untold   what depends on an order in which rows may be equal, in words; none where nothing does
    `plan` is what `explain extended` prints, `code` the SQL without comments and texts, `occurrences` as in `analyzer_trace`.
    Accepts by whitelist: an operator that is not known makes everything but a full recompute wrong. -#}
{% macro analyzer_verdict(plan, code, occurrences) %}
  {%- set text = plan.partition('== Analyzed Logical Plan ==\n')[2].partition('\n== Optimized Logical Plan ==')[0] -%}
  {%- set header, _, tree = text.partition('\n') -%}
  {%- set nodes = analyzer_nodes(tree) if tree.strip() else none -%}
  {%- if nodes is none -%}
    {{ return(analyzer_nothing('plan text that the analyzer cannot read')) }}
  {%- endif -%}
  {%- set traced = analyzer_trace(nodes, occurrences) -%}
  {%- set root = none if traced.obstacle else traced.nodes[0] -%}
  {%- set columns = analyzer_header(header) -%}
  {%- set names = analyzer_names(header, root) if root else {} -%}
  {%- set sentences = {'refused': analyzer_refusal(nodes, code), 'untold': analyzer_untold(nodes, traced.nodes)} -%}
  {%- for name, type in columns if modules.re.search('map<|variant', type) -%}
    {{ return(dict(analyzer_nothing('column ' ~ name ~ ' of type ' ~ type ~ ', which cannot be compared'), **sentences)) }}
  {%- endfor -%}
  {{ return(dict({
    'join': analyzer_join_limit(nodes),
    'aggregate': analyzer_aggregate_rule(header, root) if root else none,
    'scopes': analyzer_scopes(names, root),
    'stems': analyzer_stems(names, root),
    'bridges': analyzer_widest_bridges(traced.nodes) if root else [],
    'mentions': root.leaves if root else [],
    'columns': columns | map('first') | list,
    'types': columns | map('last') | list,
    'has_with': nodes | selectattr('kind', 'equalto', 'WithCTE') | list | length > 0,
    'unknown': traced.obstacle,
  }, **sentences)) }}
{% endmacro %}


{#- The verdict where nothing can be said, for a reason in words. -#}
{% macro analyzer_nothing(reason) %}
  {{ return({
    'join': reason, 'aggregate': none, 'scopes': {}, 'stems': {}, 'bridges': [], 'mentions': [], 'columns': [], 'types': [], 'has_with': false,
    'unknown': reason, 'refused': none, 'untold': none,
  }) }}
{% endmacro %}


{#- What rule `join` is wrong for, in words; none where it is right: it looks at one row at a time, so nothing may group, rank,
    limit or look for the absence of rows. -#}
{% macro analyzer_join_limit(nodes) %}
  {%- set words = {
    'Aggregate': 'an aggregate or group by', 'Distinct': 'distinct', 'Window': 'a window function', 'Except': 'except', 'Intersect': 'intersect',
    'GlobalLimit': 'limit', 'LateralJoin': 'a lateral join',
  } -%}
  {%- for node in nodes -%}
    {%- if node.subplans and node.kind != 'LateralJoin' -%}
      {{ return('a subquery in an expression (exists, in, scalar)') }}
    {%- elif node.kind == 'Join' and node.text.split(',')[0] not in ['Inner', 'Cross'] -%}
      {{ return('a semi or anti join' if node.text.startswith(('LeftSemi', 'LeftAnti')) else 'an outer join') }}
    {%- elif node.kind not in [
      'Project', 'Filter', 'Join', 'SubqueryAlias', 'Relation', 'LocalRelation', 'OneRowRelation', 'Range', 'Union', 'Generate', 'WithCTE',
      'CTERelationDef', 'CTERelationRef', 'ResolvedHint', 'Sort',
    ] -%}
      {{ return(words.get(node.kind, node.kind)) }}
    {%- endif -%}
  {%- endfor -%}
  {{ return(none) }}
{% endmacro %}


{#- The result's columns, a list of [name, type], from `name: type, name: type`. -#}
{% macro analyzer_header(header) %}
  {%- set parts = [] -%}
  {%- for part in header.split(', ') -%}
    {%- if ': ' in part or not parts -%}
      {%- do parts.append(part) -%}
    {%- else -%}
      {%- do parts.append(parts.pop() ~ ', ' ~ part) -%}
    {%- endif -%}
  {%- endfor -%}
  {%- set columns = [] -%}
  {%- for part in parts -%}
    {%- set name, _, type = part.rpartition(': ') -%}
    {%- do columns.append([name, type]) -%}
  {%- endfor -%}
  {{ return(columns) }}
{% endmacro %}


{#- The names of the result's columns by their ids, {id: name}, of those that scopes can be cut by: maps cannot be compared. -#}
{% macro analyzer_names(header, root) %}
  {%- set columns = analyzer_header(header) -%}
  {%- set names = {} -%}
  {%- for name, type in columns if columns | length == root.out | length -%}
    {%- if root.out[loop.index0] and modules.re.fullmatch('\\w+', name) and not modules.re.search('map<|variant|collate|interval', type) -%}
      {%- do names.setdefault(root.out[loop.index0], name) -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return(names) }}
{% endmacro %}


{#- The columns of the result that scopes can be cut by: {name: {mention: column}}. -#}
{% macro analyzer_scopes(names, root) %}
  {%- set scopes = {} -%}
  {%- for id, name in names.items() if root.trace.get(id) -%}
    {%- do scopes.update({name: root.trace[id]}) -%}
  {%- endfor -%}
  {{ return(scopes) }}
{% endmacro %}


{#- {name: mention that the column stems from}, for the columns of `analyzer_scopes` that are its own. -#}
{% macro analyzer_stems(names, root) %}
  {%- set stems = {} -%}
  {%- for id, name in names.items() if id in root.origin -%}
    {%- if root.trace.get(id, {}).get(root.origin[id][0]) == root.origin[id][1] -%}
      {%- do stems.update({name: root.origin[id][0]}) -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return(stems) }}
{% endmacro %}


{#- Of all nodes' bridges between two mentions the one over most columns. -#}
{% macro analyzer_widest_bridges(results) %}
  {%- set widest = {} -%}
  {%- for result in results.values() -%}
    {%- for name, bridge in result.bridges.items() if name not in widest or widest[name][1] | length < bridge[1] | length -%}
      {%- do widest.update({name: bridge}) -%}
    {%- endfor -%}
  {%- endfor -%}
  {{ return(widest.values() | list) }}
{% endmacro %}
