"""Dagster: a `dbt build` every quarter of an hour; its models are assets (package dagster-dbt, in the environment that has entrepot).

`dagster dev` reads the project by itself. Elsewhere say `dbt parse` before, and again when the project has changed.
"""

from dagster import AssetExecutionContext, Definitions, ScheduleDefinition, define_asset_job
from dagster_dbt import DbtCliResource, DbtProject, dbt_assets

project = DbtProject(project_dir="/srv/warehouse", profiles_dir="/srv/warehouse")
project.prepare_if_dev()


# one at a time: dagster instance concurrency set entrepot 1
@dbt_assets(manifest=project.manifest_path, pool="entrepot")
def warehouse(context: AssetExecutionContext, dbt: DbtCliResource):
    """Build the models, each an asset."""
    yield from dbt.cli(["build"], context=context).stream()


build = define_asset_job("build", selection=[warehouse])

defs = Definitions(
    assets=[warehouse],
    jobs=[build],
    schedules=[ScheduleDefinition(job=build, cron_schedule="*/15 * * * *")],
    resources={"dbt": DbtCliResource(project_dir=project)},
)
