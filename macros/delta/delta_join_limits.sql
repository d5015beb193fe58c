{#- Raises where a model forces rule `join` on SQL that the rule is wrong for: it looks at one row at a time, so nothing
    may group, rank, limit or look for the absence of rows. -#}
{% macro delta_join_check(body) %}
  {%- set operators = {
    'group by': 'group\\s+by', 'distinct': 'select\\s+distinct', 'having': 'having', 'limit': 'limit\\s+\\d', 'qualify': 'qualify',
    'a window function': 'over\\s*[(\\w]', 'an outer join': '(?:left|right|full)\\s+(?:outer\\s+)?join',
    'a semi or anti join': '(?:semi|anti)\\s+join', 'exists': 'exists\\s*\\(\\s*(?:select|with)', 'in (select …)': 'in\\s*\\(\\s*(?:select|with)',
    'a scalar subquery': '(?:select|[=<>+*/,-])\\s*\\(\\s*select', 'an aggregate': '(?:count|sum|avg|min|max|collect_list|collect_set)\\s*\\(\\s*(?!struct)[\\w.*]+\\s*\\)\\s*(?:as\\s+\\w+\\s*)?(?:,|from\\b)',
  } -%}
  {%- set code = entrepot.delta_code(body) -%}
  {%- for name, pattern in operators.items() if modules.re.search('(?i)(?<![\\w.])' ~ pattern, code) -%}
    {%- do entrepot.delta_error("has delta_rule 'join' and uses " ~ name, "the rule is right for select, where, inner join and union all",
      "config(delta_rule='scope', scope={…}), or config(delta_rule='full')") -%}
  {%- endfor -%}
{% endmacro %}


{#- Why rule `join` cannot take the SQL apart occurrence by occurrence, in words; none where it can: a CTE has to be read
    once, because its changes stand for one occurrence, and branches of a union cannot share a WITH clause. -#}
{% macro delta_join_obstacle(body, branches) %}
  {%- if branches is none -%}
    {{ return('a set operator inside a subquery, which rule join cannot take apart') }}
  {%- endif -%}
  {%- set code = entrepot.delta_code(body) -%}
  {%- set names = [] -%}
  {%- for found in modules.re.finditer('(?i)(?:\\bwith\\b|,)\\s*(`?)(\\w+)\\1\\s*(?:\\([^()]*\\)\\s*)?as\\s*\\(', code) -%}
    {%- do names.append(found.group(2)) -%}
  {%- endfor -%}
  {%- if names and branches | length > 1 -%}
    {{ return('a WITH clause over a union, which rule join cannot take apart') }}
  {%- endif -%}
  {%- for name in names -%}
    {%- if modules.re.findall('(?i)(?<![\\w.])' ~ modules.re.escape(name) ~ '(?!\\w|`?\\s*\\.)', code) | length != 2 -%}
      {{ return('the CTE ' ~ name ~ ' is not used exactly once, which rule join cannot take apart') }}
    {%- endif -%}
  {%- endfor -%}
  {{ return(none) }}
{% endmacro %}
