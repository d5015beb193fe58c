{#- The branches of a SELECT whose outermost operator is UNION ALL, each with the WITH clause of the whole; a SELECT
    without one is its own only branch. None where a set operator stands anywhere else (inside a subquery, or any
    other than UNION ALL), or a sort over one: such text cannot be taken apart. -#}
{% macro delta_union_branches(sql) %}
  {%- set token = "(?is)(" ~ delta_not_code() ~ "|`[^`]*`|[()]|\\b(?:select|union(?:\\s+(?:all|distinct))?|except|intersect|minus|(?:order|sort|cluster|distribute)\\s+by)\\b)" -%}
  {%- set walk = namespace(depth=0, head=none, text='', nested=false) -%}
  {%- set branches = [] -%}
  {%- for part in modules.re.split(token, sql) -%}
    {%- set word = part | lower | trim if loop.index0 % 2 == 1 else '' -%}
    {%- if word == '(' -%}
      {%- set walk.depth = walk.depth + 1 -%}
    {%- elif word == ')' -%}
      {%- set walk.depth = walk.depth - 1 -%}
    {%- elif word == 'select' and walk.depth == 0 and walk.head is none -%}
      {%- set walk.head = walk.text -%}
      {%- set walk.text = '' -%}
    {%- elif word.endswith('by') and walk.depth == 0 and branches -%}
      {%- set walk.nested = true -%}
    {%- elif word.startswith('union') or word in ['intersect', 'minus'] or (word == 'except' and not walk.text.rstrip().endswith('*')) -%}
      {%- set walk.nested = walk.nested or walk.depth > 0 or modules.re.fullmatch('union\\s+all', word) is none -%}
      {%- do branches.append(walk.text) -%}
      {%- set walk.text = '' -%}
    {%- endif -%}
    {%- if not (word.startswith('union') and walk.depth == 0) -%}
      {%- set walk.text = walk.text ~ part -%}
    {%- endif -%}
  {%- endfor -%}
  {%- do branches.append(walk.text) -%}
  {%- if walk.nested -%}
    {{ return(none) }}
  {%- endif -%}
  {%- set whole = [] -%}
  {%- for branch in branches -%}
    {%- do whole.append((walk.head or '') ~ branch) -%}
  {%- endfor -%}
  {{ return(whole) }}
{% endmacro %}
