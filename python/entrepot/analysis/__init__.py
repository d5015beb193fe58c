"""What Spark's analyzed plan of a model says: which columns follow which upstream, and which rule maintains the model.

Spark's plan (`from_text`, `from_session`) -> one tree of operators (`plan`) -> what follows what (`trace`, by the table in `operators`)
-> findings -> verdict.
"""

from entrepot.analysis.findings import Findings, findings_by_session, findings_by_text
from entrepot.analysis.from_session import AnalyzedPlan, analyzed_plan, is_too_wide, printed_plan
from entrepot.analysis.functions import is_of_others, is_repeatable, unknown_functions
from entrepot.analysis.grouping import Aggregate, measure_of
from entrepot.analysis.operators import operators_table
from entrepot.analysis.rows import Bridge, Measure, Occurrence
from entrepot.analysis.scopes import Cut, check_strict, mentions_of, scope_cut, scope_follows
from entrepot.analysis.value import Computed, Value, value_sql, values_as, values_equal
from entrepot.analysis.verdict import Rule, Settings, Verdict, analysis_checksum, configured_verdict, verdict_of

__all__ = [
    "Aggregate",
    "AnalyzedPlan",
    "Bridge",
    "Computed",
    "Cut",
    "Findings",
    "Measure",
    "Occurrence",
    "Rule",
    "Settings",
    "Value",
    "Verdict",
    "analysis_checksum",
    "analyzed_plan",
    "check_strict",
    "configured_verdict",
    "findings_by_session",
    "findings_by_text",
    "is_of_others",
    "is_repeatable",
    "is_too_wide",
    "measure_of",
    "mentions_of",
    "operators_table",
    "printed_plan",
    "scope_cut",
    "scope_follows",
    "unknown_functions",
    "value_sql",
    "values_as",
    "values_equal",
    "verdict_of",
]
