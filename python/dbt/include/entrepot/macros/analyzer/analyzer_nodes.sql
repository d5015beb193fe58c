{#- The operators of an analyzed plan as `explain extended` prints it (three characters a level), as a list of dicts in
    the order of the lines; none where a line cannot be read
      kind      first word, such as `Project` or `Join`
      text      the rest of the line
      children  numbers of its inputs
      subplans  numbers of the plans of its subqueries, which are printed one level deeper and before its inputs -#}
{% macro analyzer_nodes(plan) %}
  {%- set nodes = [] -%}
  {%- set path = [] -%}
  {%- set state = namespace(readable=true) -%}
  {%- for line in plan.split('\n') if line.strip() and state.readable -%}
    {%- set parts = modules.re.fullmatch('((?:   |:  |:- |\\+- )*)(\\w+)(?: (.*))?', line.rstrip()) -%}
    {%- if not parts -%}
      {%- set state.readable = false -%}
    {%- else -%}
      {%- set depth = parts.group(1) | length // 3 -%}
      {%- set node = {'number': nodes | length, 'depth': depth, 'kind': parts.group(2), 'text': parts.group(3) or '', 'children': [], 'subplans': []} -%}
      {%- for _ in range(path | length) if path and path[-1].depth >= depth -%}
        {%- do path.pop() -%}
      {%- endfor -%}
      {%- if path and depth - path[-1].depth <= 2 -%}
        {%- do path[-1]['children' if depth == path[-1].depth + 1 else 'subplans'].append(node.number) -%}
      {%- elif nodes -%}
        {%- set state.readable = false -%}
      {%- endif -%}
      {%- do path.append(node) -%}
      {%- do nodes.append(node) -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return(nodes if state.readable else none) }}
{% endmacro %}


{#- The numbers of the nodes in an order in which every node comes after what it needs: its inputs, its subqueries and
    the definitions of the CTEs that it names. -#}
{% macro analyzer_order(nodes) %}
  {%- set blocks = {} -%}
  {%- set open = [] -%}
  {%- for node in nodes -%}
    {%- for _ in range(open | length) if open and open[-1].depth >= node.depth -%}
      {%- do open.pop() -%}
    {%- endfor -%}
    {%- if node.kind == 'CTERelationDef' -%}
      {%- do open.append(node) -%}
    {%- endif -%}
    {%- do blocks.setdefault(open[-1].number if open else -1, []).append(node.number) -%}
  {%- endfor -%}
  {%- set order = [] -%}
  {%- for block in blocks if block != -1 -%}
    {%- do order.extend(blocks[block] | reverse) -%}
  {%- endfor -%}
  {{ return(order + (blocks.get(-1, []) | reverse | list)) }}
{% endmacro %}


{#- The bracketed lists of an operator's text, each a list of its items: `[a#1, f(b#2, c#3) AS d#4], [e#5]`. -#}
{% macro analyzer_lists(text) %}
  {%- set lists = [] -%}
  {%- set walk = namespace(depth=0, item='') -%}
  {%- for token in modules.re.split('([\\[\\](),])', text) -%}
    {%- if token in ['[', '('] -%}
      {%- set walk.depth = walk.depth + 1 -%}
      {%- if walk.depth == 1 and token == '[' -%}
        {%- do lists.append([]) -%}
        {%- set walk.item = '' -%}
      {%- else -%}
        {%- set walk.item = walk.item ~ token -%}
      {%- endif -%}
    {%- elif token in [']', ')'] and walk.depth == 1 -%}
      {%- set walk.depth = 0 -%}
      {%- if token == ']' and lists -%}
        {%- do lists[-1].append(walk.item | trim) -%}
      {%- endif -%}
      {%- set walk.item = '' -%}
    {%- elif token == ',' and walk.depth == 1 and lists -%}
      {%- do lists[-1].append(walk.item | trim) -%}
      {%- set walk.item = '' -%}
    {%- else -%}
      {%- set walk.depth = walk.depth - (1 if token in [']', ')'] else 0) -%}
      {%- set walk.item = walk.item ~ token -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return(lists) }}
{% endmacro %}


{#- The arguments of a function, from the text behind its opening parenthesis: `a#1, f(b#2, c#3)) AS d#4` is [a#1, f(b#2, c#3)]. -#}
{% macro analyzer_arguments(text) %}
  {%- set walk = namespace(depth=1, inside='') -%}
  {%- for token in modules.re.split('([()])', text) if walk.depth -%}
    {%- set walk.depth = walk.depth + (1 if token == '(' else -1 if token == ')' else 0) -%}
    {%- set walk.inside = walk.inside ~ (token if walk.depth else '') -%}
  {%- endfor -%}
  {{ return(analyzer_lists('[' ~ walk.inside ~ ']')[0]) }}
{% endmacro %}


{#- The conditions that AND holds together: `((a AND b) AND c)` is [a, b, c]. -#}
{% macro analyzer_conjuncts(condition) %}
  {%- set found = [] -%}
  {%- set waiting = [condition | trim] -%}
  {%- for _ in range(1000) if waiting -%}
    {%- set text = waiting.pop() -%}
    {%- set walk = namespace(depth=0, lowest=0, item='') -%}
    {%- set items = [] -%}
    {%- for token in modules.re.split('([()]| AND )', text[1:-1]) -%}
      {%- set walk.depth = walk.depth + (1 if token == '(' else -1 if token == ')' else 0) -%}
      {%- set walk.lowest = [walk.lowest, walk.depth] | min -%}
      {%- if token == ' AND ' and walk.depth == 0 -%}
        {%- do items.append(walk.item) -%}
        {%- set walk.item = '' -%}
      {%- else -%}
        {%- set walk.item = walk.item ~ token -%}
      {%- endif -%}
    {%- endfor -%}
    {%- if items and walk.depth == 0 and walk.lowest == 0 and text.startswith('(') and text.endswith(')') -%}
      {%- do waiting.extend(items + [walk.item]) -%}
    {%- else -%}
      {%- do found.append(text) -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return(found + waiting) }}
{% endmacro %}
