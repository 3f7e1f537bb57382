"""Run the gateway with a Strawberry that refuses the compiled executor: `-m tests.schema.incompatible_strawberry`."""

import runpy
import sys
from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import Any

import strawberry


def without_the_parameter() -> None:
    """Schemas can't be made with it any more."""
    make = strawberry.Schema.__init__

    def refusing(self: Any, *types: Any, **given: Any) -> None:
        if "execution_context_class" in given:
            raise TypeError("unexpected keyword argument 'execution_context_class'")
        make(self, *types, **given)

    strawberry.Schema.__init__ = refusing  # type: ignore[method-assign]  # That is the point.


def without_the_class() -> None:
    """Strawberry's own executor has another name."""
    whole = import_module("strawberry.schema.schema")
    rest = ModuleType(whole.__name__)
    rest.__dict__.update({name: value for name, value in vars(whole).items() if not name.endswith("ExecutionContext")})
    sys.modules[whole.__name__] = rest


def without_the_package() -> None:
    """Whatever it is that keeps it from being imported."""
    sys.modules["gateway.schema.compiled"] = None  # type: ignore[assignment]  # As Python marks what can't be imported.


WAYS: dict[str, Callable[[], None]] = {
    "no parameter": without_the_parameter,
    "no class": without_the_class,
    "no package": without_the_package,
}


if __name__ == "__main__":
    WAYS[sys.argv[1]]()
    # Not before, or there would be nothing left to refuse.
    runpy.run_module("tests.schema.without_compiled", run_name="__main__")
