"""Airflow: a `dbt build` every quarter of an hour, one at a time, on the machine that has the warehouse."""

from datetime import datetime, timedelta

from airflow.providers.standard.operators.bash import BashOperator
from airflow.sdk import DAG

with DAG(
    "entrepot",
    schedule=timedelta(minutes=15),
    start_date=datetime(2026, 1, 1),
    catchup=False,
    max_active_runs=1,
    default_args={"retries": 3, "retry_delay": timedelta(minutes=1), "retry_exponential_backoff": True},
):
    BashOperator(task_id="build", bash_command="cd /srv/warehouse && .venv/bin/dbt build")
