"""Methods of the adapter that macros call."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from dbt.adapters.base import available
from dbt_common.exceptions import CompilationError

from entrepot.errors import EntrepotError

Arguments = ParamSpec("Arguments")
Answer = TypeVar("Answer")


def for_macros(method: Callable[Arguments, Answer]) -> Callable[Arguments, Answer]:
    """Let macros call a method; what it refuses is dbt's compilation error, which names the model."""

    @wraps(method)
    def asked(*arguments: Arguments.args, **named: Arguments.kwargs) -> Answer:
        try:
            return method(*arguments, **named)
        except EntrepotError as error:
            raise CompilationError(error.message.strip()) from None

    answered: Callable[Arguments, Answer] = available(asked)
    return answered
