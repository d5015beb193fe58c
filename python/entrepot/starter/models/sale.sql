-- Grain: one line of a file in the landing folder. Each file is read once, by its name; `_name` and `.name` are left alone.
{{ config(incremental_strategy='append') }}
select
    line.sale.order_id,
    line.sale.customer,
    line.sale.item,
    line.sale.amount,
    line.sale.sold_on,
    line.landed_from
from (
    select
        from_json(value, 'order_id int, customer string, item string, amount decimal(10, 2), sold_on date') as sale,
        _metadata.file_name as landed_from
    from text.`{{ var('landing_path') }}`
) as line
{% if is_incremental() %}
left anti join {{ this }} as landed on line.landed_from = landed.landed_from
{% endif %}
