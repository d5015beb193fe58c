"""Upkeep of a warehouse: what is compacted, purged and vacuumed, what is kept and for whom; and one key taken out of everything."""

from entrepot.upkeep.needs import Need, needs_of
from entrepot.upkeep.plan import Action, TablePlan, plan_of
from entrepot.upkeep.tables import Stored, stored_tables

__all__ = ["Action", "Need", "Stored", "TablePlan", "needs_of", "plan_of", "stored_tables"]
