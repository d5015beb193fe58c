"""Maintenance jobs: what a dbt command brings up to date, from what its relations contained to one published snapshot."""

from entrepot.jobs.at_hand import read_at_hand
from entrepot.jobs.concerns import count_early
from entrepot.jobs.engine import Catalogued, Engine
from entrepot.jobs.model import Model, schema_change_of, settings_of
from entrepot.jobs.options import JobOptions
from entrepot.jobs.project import Node, Project, asking
from entrepot.jobs.proof import Proof, can_be_proved, published_models, published_proof, stored_difference
from entrepot.jobs.publish import Outcome, note_runs, publish
from entrepot.jobs.refresh import Refresh, apply, explained, finished, hand_on, noted, planned
from entrepot.jobs.runs import Begun, Run
from entrepot.jobs.state import Job
from entrepot.jobs.states import State

__all__ = [
    "Begun",
    "Catalogued",
    "Engine",
    "Job",
    "JobOptions",
    "Model",
    "Node",
    "Outcome",
    "Project",
    "Proof",
    "Refresh",
    "Run",
    "State",
    "apply",
    "asking",
    "can_be_proved",
    "count_early",
    "explained",
    "finished",
    "hand_on",
    "note_runs",
    "noted",
    "planned",
    "publish",
    "published_models",
    "published_proof",
    "read_at_hand",
    "schema_change_of",
    "settings_of",
    "stored_difference",
]
