-- Grain: one file that lies in the landing folder now (var landing_path).
{{ config(materialized='view') }}
{{ landing_arrived_files() }}
