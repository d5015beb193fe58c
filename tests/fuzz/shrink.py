"""Shrinks a failed case: takes out jobs, changes, models, operators and rows as long as the same model fails alike."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

import duckdb

from tests.fuzz.case import Case, Failure
from tests.fuzz.change_stream import SOURCES, apply
from tests.fuzz.duckdb_oracle import DuckDbOracle
from tests.fuzz.tree import Group, Item, Model, Node, Relation, Select, null_item

_Element = TypeVar("_Element")


def shrink(
    case: Case,
    failure: Failure,
    run: Callable[[Case], list[Failure]],
    attempts: int,
    say: Callable[[str], None] = print,
) -> tuple[Case, Failure]:
    """Return the smallest case that was found, and its failure.

    Args:
        case: a failed case
        failure: what failed in it
        run: runs a case and returns what fails
        attempts: how many cases may be run
        say: told of every success
    """
    left = attempts
    progress = True
    while progress:
        progress = False
        for candidates in PASSES:
            found = True
            while found:
                found = False
                for smaller in candidates(case, failure):
                    if not is_sound(smaller):
                        continue
                    if left == 0:
                        return case, failure
                    left -= 1
                    again = next((f for f in run(smaller) if (f.model, f.kind) == (failure.model, failure.kind)), None)
                    if again:
                        case, failure, found, progress = smaller, again, True, True
                        say(f"shrunk to {size(case)} ({candidates.__name__}, {left} attempts left)")
                        break
    return case, failure


def size(case: Case) -> str:
    """How large a case is, in words."""
    operators = sum(1 for model in case.models for _ in model.root.walk())
    rows = sum(map(len, case.contents.values()))
    return f"{len(case.models)} models, {operators} operators, {rows} rows, {len(case.jobs)} jobs, {sum(map(len, case.jobs))} changes"


def is_sound(case: Case) -> bool:
    """Whether DuckDB computes every model, with its key unique, before and after all changes."""
    oracle = DuckDbOracle()
    contents = case.contents
    try:
        for job in ((), *case.jobs):
            for change in job:
                _, contents = apply(change, contents, "s")
            for source in SOURCES:
                oracle.load(source, contents[source.name])
            oracle.compute(case.models)
            if not all(oracle.has_unique_key(model) for model in case.models):
                return False
    except duckdb.Error:
        return False
    finally:
        oracle.close()
    return True


def _fewer(elements: Sequence[_Element]) -> Iterator[tuple[_Element, ...]]:
    """The elements without some neighbours: halves first, single ones last."""
    width = (len(elements) + 1) // 2
    while width:
        for start in range(0, len(elements), width):
            yield (*elements[:start], *elements[start + width :])
        width //= 2


def only_what_it_needs(case: Case, failure: Failure) -> Iterator[Case]:
    """The failed model and those that it reads, up to the failed job."""
    needed = {failure.model}
    for model in reversed(case.models):
        if model.name in needed:
            needed |= model.reads
    models = tuple(model for model in case.models if model.name in needed)
    jobs = case.jobs[: failure.job]
    if len(models) < len(case.models) or len(jobs) < len(case.jobs):
        yield replace(case, models=models, jobs=jobs)


def fewer_jobs(case: Case, failure: Failure) -> Iterator[Case]:
    """Without some jobs and their changes; the failed one needs one, or the first build would have failed."""
    for jobs in _fewer(case.jobs):
        if jobs:
            yield replace(case, jobs=jobs)


def fewer_changes(case: Case, failure: Failure) -> Iterator[Case]:
    """Without some changes of a job."""
    for number, job in enumerate(case.jobs):
        for changes in _fewer(job):
            yield replace(case, jobs=(*case.jobs[:number], changes, *case.jobs[number + 1 :]))


def fewer_operators(case: Case, failure: Failure) -> Iterator[Case]:
    """With an operator replaced by one of its inputs, or without its condition."""
    for model in case.models:
        for path, node in _paths(model.root):
            for smaller in _smaller_nodes(node):
                yield _with_root(case, model, _replaced(model.root, path, smaller))


def fewer_models(case: Case, failure: Failure) -> Iterator[Case]:
    """With the operators of a model in place of the name by which another one reads it."""
    roots = {model.name: model.root for model in case.models}
    for model in case.models:
        for path, node in _paths(model.root):
            if isinstance(node, Relation) and node.name in roots:
                yield _with_root(case, model, _replaced(model.root, path, roots[node.name]))


def fewer_columns(case: Case, failure: Failure) -> Iterator[Case]:
    """Without a column that is no key, in the failed model or below an operator that does not need it."""
    for model in case.models:
        for path, node in _paths(model.root):
            if isinstance(node, Select | Group):
                for item in node.items:
                    if item.name not in node.key:
                        yield _with_root(case, model, _replaced(model.root, path, _without(node, item)))


def fewer_rows(case: Case, failure: Failure) -> Iterator[Case]:
    """Without some of the first rows, or of the rows of a change."""
    for table, rows in case.contents.items():
        for kept in _fewer(rows):
            yield replace(case, contents=case.contents | {table: kept})
    for number, job in enumerate(case.jobs):
        for position, change in enumerate(job):
            for kept in _fewer(change.rows) if len(change.rows) > 1 else ():
                changes = (*job[:position], replace(change, rows=kept), *job[position + 1 :])
                yield replace(case, jobs=(*case.jobs[:number], changes, *case.jobs[number + 1 :]))


def plain_writing(case: Case, failure: Failure) -> Iterator[Case]:
    """With models written plainly: all of them, or one without one of its manners."""
    plain = tuple(replace(model, manners=frozenset()) for model in case.models)
    if plain != case.models:
        yield replace(case, models=plain)
        for model in case.models:
            for manner in sorted(model.manners):
                less = replace(model, manners=model.manners - {manner})
                yield replace(case, models=tuple(less if one is model else one for one in case.models))


def fewer_variables(case: Case, failure: Failure) -> Iterator[Case]:
    """Without vars, or without one of them."""
    if case.variables:
        yield replace(case, variables={})
        for name in case.variables if len(case.variables) > 1 else ():
            yield replace(case, variables={key: value for key, value in case.variables.items() if key != name})


PASSES = (
    only_what_it_needs, fewer_jobs, fewer_changes, fewer_operators, fewer_models, fewer_rows, fewer_columns, plain_writing, fewer_variables,
)  # fmt: skip


def _paths(node: Node, path: tuple[int, ...] = ()) -> Iterator[tuple[tuple[int, ...], Node]]:
    yield path, node
    for number, input_ in enumerate(node.inputs):
        yield from _paths(input_, (*path, number))


def _replaced(root: Node, path: tuple[int, ...], node: Node) -> Node:
    if not path:
        return node
    inputs = list(root.inputs)
    inputs[path[0]] = _replaced(inputs[path[0]], path[1:], node)
    return root.with_inputs(tuple(inputs))


def _with_root(case: Case, model: Model, root: Node) -> Case:
    models = tuple(replace(one, root=root) if one is model else one for one in case.models)
    return replace(case, models=models)


def _smaller_nodes(node: Node) -> Iterator[Node]:
    """Smaller operators with the same columns: its inputs, with nulls for the columns that they have not."""
    for input_ in node.inputs:
        if set(node.columns) <= set(input_.columns):
            yield input_
            if node.columns == input_.columns:
                continue
        items = tuple(
            Item(column.name, column.expression) if column in input_.columns else null_item(column)
            for column in node.columns
        )
        smaller = Select(node.columns, node.key, True, input_, items)
        if smaller != node:
            yield smaller
    if isinstance(node, Select) and node.where:
        yield replace(node, where=None)
    if isinstance(node, Group) and node.having:
        yield replace(node, having=None)


def _without(node: Select | Group, item: Item) -> Node:
    items = tuple(one for one in node.items if one is not item)
    return replace(node, items=items, columns=tuple(one.column for one in items))
