-- Grain: one attribute of one schema version that an event has shown before anybody registered it.
{{ config(materialized='incremental', incremental_strategy='land', unique_key=['schema', 'version', 'attribute'], land_kind='version', full_refresh=false) }}
with

shown as (
    select
        schema_name as schema,
        attribute_names,
        attribute_types,
        min_by(attributes, struct(log_commit, log_position, event_id)) as attributes,
        min_by(event_id, struct(log_commit, log_position, event_id)) as first_event_id,
        min(struct(log_commit, log_position, event_id)) as first_position
    from {{ ref('landing_record') }}
    where kind = 'change' and attributes is not null
    group by schema_name, attribute_names, attribute_types
    -- shown with types and without: one version, whatever the types show of what is inside of columns
    qualify
        attribute_types is not null
        or count(attribute_types) over (
            partition by schema_name, {{ landing_columns('attribute_names') }}
        ) = 0
),

registered as (
    {{ landing_known_versions(ref('schema_attribute')) }}
),

{% if is_incremental() %}
discovered as (
    {{ landing_known_versions(this) }}
),
{% endif %}

-- as in schema_version: where both have a number, the seed's field list is the one that counts
known as (
    select * from registered
    {% if is_incremental() %}
    union all
    select discovered.*
    from discovered
    left anti join registered on discovered.schema = registered.schema and discovered.version = registered.version
    {% endif %}
),

new as (
    select shown.*
    from shown
    left anti join known
        on shown.schema = known.schema
        and {{ landing_same_version('shown', 'known') }}
),

numbered as (
    select
        new.*,
        coalesce(newest.version, 0) + row_number() over (partition by new.schema order by new.first_position) as version
    from new
    left join (
        select
            schema,
            max(version) as version
        from (
            select * from registered
            {% if is_incremental() %}
            union all
            select * from discovered
            {% endif %}
        )
        group by schema
    ) as newest
        on new.schema = newest.schema
),

-- what somebody has registered, or has been discovered, inside of columns: the newest version of each schema
inner_attribute as (
    select
        schema,
        version,
        attribute,
        data_type,
        position,
        is_key
    from (
        select
            schema,
            version,
            attribute,
            data_type,
            position,
            is_key
        from {{ ref('schema_attribute') }}
        {% if is_incremental() %}
        union all
        select
            stored.schema,
            stored.version,
            stored.attribute,
            stored.data_type,
            stored.position,
            stored.is_key
        from {{ this }} as stored
        left anti join registered on stored.schema = registered.schema and stored.version = registered.version
        {% endif %}
    )
    qualify version = max(version) over (partition by schema)
),

-- it goes on in a new version where the event does not show what is inside of the column, as of a column with JSON
kept as (
    select
        numbered.schema,
        numbered.version,
        numbered.first_event_id,
        inner_attribute.attribute,
        inner_attribute.data_type,
        size(numbered.attributes)
        + row_number() over (partition by numbered.schema, numbered.version order by inner_attribute.position, inner_attribute.attribute) as position,
        coalesce(inner_attribute.is_key, false) as is_key
    from numbered
    inner join inner_attribute
        on numbered.schema = inner_attribute.schema
    where
        {{ landing_may_be_inside('inner_attribute.attribute') }}
        and exists(
            numbered.attributes,
            whole -> {{ landing_is_inside('inner_attribute.attribute', 'whole.attribute') }}
            and coalesce({{ landing_travels_as('whole.data_type') }}, 'text') like 'text%'
            and not exists(numbered.attributes, shown -> {{ landing_is_inside('shown.attribute', 'whole.attribute') }})
        )
)

select
    numbered.schema,
    cast(numbered.version as int) as version,
    field.attribute,
    field.data_type,
    cast(field.position as int) as position,
    field.is_key,
    numbered.first_event_id,
    current_timestamp() as discovered_at
from numbered
lateral view explode(numbered.attributes) as field
union all
select
    schema,
    cast(version as int) as version,
    attribute,
    data_type,
    cast(position as int) as position,
    is_key,
    first_event_id,
    current_timestamp() as discovered_at
from kept
