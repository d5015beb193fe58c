{#- SQL: the date that stands this many days after 1970-01-01; null outside of the years 1 to 9999, which is what Spark's dates are for. -#}
{% macro mapping_date(field) -%}
if({{ field }} between -719162 and 2932896, date_add(date '1970-01-01', {{ field }}), null)
{%- endmacro %}


{#- SQL: the timestamp this many millis, micros or nanos after 1970; null outside of the years 1 to 9999, and where it is no whole
    number of microseconds, which are all that a timestamp keeps. -#}
{% macro mapping_instant(field, unit) -%}
{%- if unit == 'millis' -%}
if({{ field }} between -62135596800000 and 253402300799999, timestamp_millis({{ field }}), null)
{%- elif unit == 'micros' -%}
if({{ field }} between -62135596800000000 and 253402300799999999, timestamp_micros({{ field }}), null)
{%- else -%}
if({{ field }} % 1000 = 0, timestamp_micros({{ field }} div 1000), null)
{%- endif -%}
{%- endmacro %}


{#- SQL: the time of day this many millis, micros or nanos after midnight as text, `HH:mm:ss.SSSSSS`; 24:00:00 is one, and null is
    what is none, or no whole number of microseconds. -#}
{% macro mapping_time_of_day(field, unit) -%}
{%- set a_second = {'millis': 1000, 'micros': 1000000, 'nanos': 1000000000}[unit] -%}
if(
  {{ field }} between 0 and {{ 86400 * a_second }}{{ ' and ' ~ field ~ ' % 1000 = 0' if unit == 'nanos' }},
  format_string(
    '%02d:%02d:%02d.%06d', {{ field }} div {{ 3600 * a_second }}, {{ field }} div {{ 60 * a_second }} % 60, {{ field }} div {{ a_second }} % 60,
    {{ {'millis': field ~ ' % 1000 * 1000', 'micros': field ~ ' % 1000000', 'nanos': field ~ ' % 1000000000 div 1000'}[unit] }}
  ),
  null
)
{%- endmacro %}


{#- SQL: the value of an ISO 8601 text: a timestamp (`zoned`, `instant_iso`; at most six digits of a second count), a date or a time of
    day as `mapping_time_of_day` has it. Null where the text is anything else, such as `infinity`, or outside of the years 1 to 9999. -#}
{% macro mapping_iso(field, wire) -%}
{%- if wire == 'date_iso' -%}
if({{ field }} rlike '^(?!0000)[0-9]{4}-[0-9]{2}-[0-9]{2}Z?$', try_cast(left({{ field }}, 10) as date), null)
{%- elif wire == 'time_iso' -%}
if(
  {{ field }} rlike '^([01][0-9]|2[0-4]):[0-5][0-9]:[0-5][0-9]([.][0-9]{1,6}0*)?Z?$',
  concat(left({{ field }}, 8), '.', rpad(left(regexp_extract({{ field }}, '[.]([0-9]*)', 1), 6), 6, '0')),
  null
)
{%- else -%}
if(
  {{ field }} rlike '^(?!0000)[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]{1,6}0*)?)?(Z|[+-][0-9]{2}(:?[0-9]{2})?)$'
  and {{ entrepot.mapping_within_years(field) }},
  try_cast({{ field }} as timestamp),
  null
)
{%- endif -%}
{%- endmacro %}


{#- SQL: whether a moment in a text, whose year has four digits and is not 0, is of the years 1 to 9999 in UTC; only the first year and the last one can be another there. -#}
{% macro mapping_within_years(text) -%}
(left({{ text }}, 4) not in ('0001', '9999')
    or try_cast({{ text }} as timestamp) between timestamp_micros(-62135596800000000) and timestamp_micros(253402300799999999))
{%- endmacro %}
