"""The warehouse's own books: jobs, their cuts, runs, verdicts and published snapshots, kept in the Delta tables of schema `ops`."""

from entrepot.ledger.books import Ledger
from entrepot.ledger.lock import Lock
from entrepot.ledger.past import PastJob, past_jobs
from entrepot.ledger.progress import Progress, Step
from entrepot.ledger.records import (
    JobEvent,
    ModelRun,
    ModelVerdict,
    NodeState,
    PublishedRelation,
    SourceCut,
    TableHealth,
)
from entrepot.ledger.store import Store

__all__ = [
    "JobEvent",
    "Ledger",
    "Lock",
    "ModelRun",
    "ModelVerdict",
    "NodeState",
    "PastJob",
    "Progress",
    "PublishedRelation",
    "SourceCut",
    "Step",
    "Store",
    "TableHealth",
    "past_jobs",
]
