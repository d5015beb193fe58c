{#- Why the SQL cannot be taken apart occurrence by occurrence, in words; none where it can: an upstream has to be read once for each time
    that it is named, because its changes stand for one occurrence (a CTE may be read twice, or never), and branches of a union cannot share
    a WITH clause. `branches` are those of the text, `found` what the analyzer found in the plan. -#}
{% macro delta_join_obstacle(branches, occurrences, found) %}
  {%- if branches is none -%}
    {{ return('a set operator inside a subquery or under a sort, which rule join cannot take apart') }}
  {%- elif found.has_with and branches | length > 1 -%}
    {{ return('a WITH clause over a union, which rule join cannot take apart') }}
  {%- endif -%}
  {%- set read = [] -%}
  {%- for mention in found.mentions -%}
    {%- do read.append(mention.split('/')[0]) -%}
  {%- endfor -%}
  {%- for occurrence in occurrences if read.count(occurrence.number) != 1 -%}
    {{ return('a CTE over ' ~ occurrence.upstream.name ~ ' that is not read exactly once, which rule join cannot take apart') }}
  {%- endfor -%}
  {{ return(none) }}
{% endmacro %}
