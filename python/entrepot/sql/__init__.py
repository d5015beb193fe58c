"""SQL text in, text out: tokens, mentions of tables, what stands in their place, union branches, literals, names."""

from entrepot.sql.bound import without_bound
from entrepot.sql.branches import as_branch, union_branches
from entrepot.sql.calls import called_names
from entrepot.sql.carrying import carrying
from entrepot.sql.listed import listed_keys
from entrepot.sql.literals import (
    MASK,
    SAFE_TEXT,
    exact_literal,
    has_text_like_a_plan,
    literal,
    literals,
    moment_literal,
    texts_are_safe,
    with_texts_masked,
)
from entrepot.sql.mentions import Mention, mentions, numbered_mentions, options_of, tables_of_query
from entrepot.sql.names import TableName, columns_as, is_name, keys_equal, qualified, quoted, quoted_if_needed
from entrepot.sql.queries import check_one_query
from entrepot.sql.revision import Revision, revision_of
from entrepot.sql.substitute import inline_views, mark_mentions, substitute, view_text_told
from entrepot.sql.tokens import SqlError, code_only, texts, words

__all__ = [
    "MASK",
    "SAFE_TEXT",
    "Mention",
    "Revision",
    "SqlError",
    "TableName",
    "as_branch",
    "called_names",
    "carrying",
    "check_one_query",
    "code_only",
    "columns_as",
    "exact_literal",
    "has_text_like_a_plan",
    "inline_views",
    "is_name",
    "keys_equal",
    "listed_keys",
    "literal",
    "literals",
    "mark_mentions",
    "mentions",
    "moment_literal",
    "numbered_mentions",
    "options_of",
    "qualified",
    "quoted",
    "quoted_if_needed",
    "revision_of",
    "substitute",
    "tables_of_query",
    "texts",
    "texts_are_safe",
    "union_branches",
    "view_text_told",
    "with_texts_masked",
    "without_bound",
    "words",
]
