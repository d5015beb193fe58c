{#- A history as it was at a commit position or a time, as a subquery: one version of each key that was there, or none. To stand
    after FROM or JOIN, with an alias. -#}
{% macro history_as_of(relation, position=none, time=none, extend_first=false) -%}
(
    select history.*
    from {{ relation }} as history
    where {{ history_valid_at('history', position, time, extend_first) }}
)
{%- endmacro %}


{#- SQL: whether a version is the one that was valid at a commit position, or at a time. `history` is the history's alias.
    With `extend_first` the first version of a key stands for all that was before it, too. -#}
{% macro history_valid_at(history, position=none, time=none, extend_first=false) -%}
{%- if (position is none) == (time is none) -%}
  {%- do exceptions.raise_compiler_error(
    "history_valid_at, history_as_of: " ~ ("neither position nor time is" if position is none else "position and time are both") ~ " given: one of them says when. "
    ~ "For example: history_as_of(ref('item_history'), time=\"timestamp '2026-03-04 08:00:00'\"). See docs/history.md."
  ) -%}
{%- endif -%}
{%- set by_position = position is not none -%}
{%- set at = history_moment(position) if by_position else time -%}
{%- set from = history_moment(history ~ '.valid_from_position') if by_position else history ~ '.dbt_valid_from' -%}
{%- set to = history_moment(history ~ '.valid_to_position') if by_position else history ~ '.dbt_valid_to' -%}
({{ history ~ '.is_first_version or ' if extend_first }}{{ at }} >= {{ from }})
    and ({{ history }}.valid_to_position is null or {{ at }} < {{ to }})
{%- endmacro %}
