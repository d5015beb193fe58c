-- Grain: one region. A table that is no Delta table, as a project may have some.
{{ config(materialized='table', file_format='parquet') }}
select distinct region from {{ ref('country') }}
