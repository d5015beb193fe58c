{{ config(unique_key='date_day') }}
select explode(sequence(date'2024-01-01', date'2027-12-31', interval 1 day)) as date_day
