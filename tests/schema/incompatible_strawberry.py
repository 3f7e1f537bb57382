"""Runs the gateway with a Strawberry incompatible with the compiled executor.

Usage: `python -m tests.schema.incompatible_strawberry CHANGE`.
"""

import runpy
import sys
from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import Any

import strawberry


def without_the_parameter() -> None:
    """`strawberry.Schema` no longer accepts `execution_context_class`."""
    create = strawberry.Schema.__init__

    def refusing(self: Any, *types: Any, **options: Any) -> None:
        if "execution_context_class" in options:
            raise TypeError("unexpected keyword argument 'execution_context_class'")
        create(self, *types, **options)

    strawberry.Schema.__init__ = refusing  # type: ignore[method-assign]  # Simulates an incompatible version.


def without_the_class() -> None:
    """Strawberry's executor class has another name."""
    whole = import_module("strawberry.schema.schema")
    rest = ModuleType(whole.__name__)
    rest.__dict__.update({name: value for name, value in vars(whole).items() if not name.endswith("ExecutionContext")})
    sys.modules[whole.__name__] = rest


def without_the_package() -> None:
    """The compiled executor can't be imported."""
    sys.modules["gateway.schema.compiled"] = None  # type: ignore[assignment]  # None makes an import fail.


CHANGES: dict[str, Callable[[], None]] = {
    "no parameter": without_the_parameter,
    "no class": without_the_class,
    "no package": without_the_package,
}


if __name__ == "__main__":
    CHANGES[sys.argv[1]]()
    # After the change, as it imports the gateway.
    runpy.run_module("tests.schema.without_compiled", run_name="__main__")
