"""The gateway beside a Strawberry that refuses the compiled executor: `python -m tests.schema.refused WAY`, with
settings from the environment and `TOKEN`. Prints what it says with the setting on, and what it answers with it off.
"""

import asyncio
import os
import sys
from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import Any

import orjson
import strawberry

from tests.api import Api
from tests.schema.asked import answers_to_all


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


async def tried(token: str) -> dict[str, Any]:
    # Not before the way was taken, or there would be nothing left to refuse.
    from gateway.app import Gateway  # noqa: PLC0415
    from gateway.services import open_services  # noqa: PLC0415
    from gateway.settings import SettingsError, load_settings  # noqa: PLC0415

    told = None
    try:
        Gateway(load_settings(graphql_compiled=True))
    except SettingsError as error:
        told = str(error)
    settings = load_settings(graphql_compiled=False)
    async with open_services(settings) as services, Api.of(Gateway(settings, services)) as api:
        return {"told": told, "answers": await answers_to_all(api, token)}


if __name__ == "__main__":
    WAYS[sys.argv[1]]()
    sys.stdout.buffer.write(orjson.dumps(asyncio.run(tried(os.environ["TOKEN"]))))
