{#- Replaces the occurrences of a relation in SQL text, one by one: occurrence i becomes `replacements[i]`, or the last
    of them where there are fewer. Comments, strings and longer names are left alone. An occurrence without an alias
    gets the relation's own name as alias, so that `name.column` still resolves. -#}
{% macro delta_substitute(sql, relation, replacements) %}
  {%- set parts = delta_occurrences(sql, relation) -%}
  {%- set text = [] -%}
  {%- for part in parts -%}
    {%- if loop.index0 % 2 == 0 -%}
      {%- do text.append(part) -%}
    {%- else -%}
      {%- set number = (loop.index0 - 1) // 2 -%}
      {%- set following = parts[loop.index0 + 1] -%}
      {%- do text.append(replacements[[number, replacements | length - 1] | min]) -%}
      {%- if not delta_has_alias(following) -%}
        {%- do text.append(' as ' ~ relation.identifier) -%}
      {%- endif -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return(text | join('')) }}
{% endmacro %}


{#- SQL text cut at the occurrences of a relation: text, occurrence, text, occurrence, …, text. -#}
{% macro delta_occurrences(sql, relation) %}
  {%- set name = '(?<![\\w.`])`?' ~ modules.re.escape(relation.schema) ~ '`?\\.`?' ~ modules.re.escape(relation.identifier) ~ '`?(?![\\w`.])' -%}
  {%- set other = delta_not_code() -%}
  {%- set parts = [''] -%}
  {%- for token in modules.re.split('(?is)(' ~ other ~ '|' ~ name ~ ')', sql) -%}
    {%- if loop.index0 % 2 == 1 and modules.re.fullmatch('(?i)' ~ name, token) -%}
      {%- do parts.extend([token, '']) -%}
    {%- else -%}
      {%- set last = parts.pop() -%}
      {%- do parts.append(last ~ token) -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return(parts) }}
{% endmacro %}


{#- Whether the text after a relation begins with its alias. -#}
{% macro delta_has_alias(following) %}
  {%- set word = modules.re.match('(?i)\\s*(?:as\\s+)?(`[^`]+`|[a-z_]\\w*)', following) -%}
  {%- set keywords = [
    'on', 'using', 'where', 'join', 'inner', 'left', 'right', 'full', 'cross', 'semi', 'anti', 'natural', 'outer',
    'lateral', 'group', 'order', 'having', 'limit', 'offset', 'union', 'except', 'minus', 'intersect', 'window',
    'qualify', 'tablesample', 'pivot', 'unpivot', 'cluster', 'distribute', 'sort', 'version', 'timestamp', 'for',
  ] -%}
  {{ return(word is not none and word.group(1) | lower not in keywords) }}
{% endmacro %}
