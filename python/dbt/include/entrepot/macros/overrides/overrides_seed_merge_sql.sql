{#- One commit that turns the stored rows into the file's, as multisets: of rows that occur more often now, the missing
    copies are inserted; of rows that occur less often, all copies are deleted and the new number is inserted. -#}
{% macro overrides_seed_merge_sql(columns, typed) %}
  {%- set names = columns | map(attribute='name') | list -%}
-- entrepot: seed {{ model.name }}, from {{ model.original_file_path }}
merge into {{ this }} as _stored
using (
  select
    explode(concat(
      array_repeat(true, if(_before > _after, 1, 0)),
      array_repeat(false, cast(if(_before > _after, _after, _after - _before) as int))
    )) as _gone,
    {{ names | join(', ') }}
  from (
    select {{ names | join(', ') }}, count_if(_is_new) as _after, count_if(not _is_new) as _before
    from (
      select *, true as _is_new from (
{{ typed }}
      )
      union all
      select {{ names | join(', ') }}, false as _is_new from {{ this }}
    )
    group by {{ names | join(', ') }}
    having _after <> _before
  )
) as _new
on _new._gone and {{ adapter.sql_keys_equal('_stored', names, '_new', names) }}
when matched then delete
when not matched then insert ({{ names | join(', ') }}) values (_new.{{ names | join(', _new.') }})
{% endmacro %}
