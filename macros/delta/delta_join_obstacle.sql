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
