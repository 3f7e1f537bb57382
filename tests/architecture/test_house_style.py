"""Habits of the house that no linter knows."""

import ast
from pathlib import Path

import pytest

import gateway
from gateway.resolvers.operation import REGISTRY

HOME = Path(gateway.__file__).parent
FILES = sorted(path for path in HOME.rglob("*.py") if "versions" not in path.parts)
_VAGUE = {"utils", "util", "helpers", "helper", "common", "manager", "managers", "misc"}


def _names(path: Path) -> str:
    return path.relative_to(HOME).as_posix()


@pytest.mark.parametrize("path", [path for path in FILES if path.name != "cli.py"], ids=_names)
def test_no_import_hides_in_a_function(path: Path) -> None:
    """Such an import dodges a circle. The command line is excused: it starts faster for it."""
    functions = (node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, _FUNCTIONS))
    hidden = [inner.lineno for node in functions for inner in ast.walk(node) if isinstance(inner, _IMPORTS)]
    assert hidden == []


_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_IMPORTS = (ast.Import, ast.ImportFrom)


def test_no_file_has_a_name_that_says_nothing() -> None:
    assert [path for path in FILES if path.stem in _VAGUE or _VAGUE & set(path.relative_to(HOME).parts)] == []


def test_no_room_asks_which_door_called() -> None:
    """`ctx.origin.source` is for the audit trail alone."""
    asking = [
        _names(path)
        for path in FILES
        if "resolvers" in path.parts and "audit" not in path.parts and ".source" in path.read_text()
    ]
    assert asking == []


@pytest.mark.parametrize("name", sorted(REGISTRY))
def test_an_operation_says_what_it_does(name: str) -> None:
    operation = REGISTRY[name]
    assert operation.summary, name
    assert name.count(".") == 1


@pytest.mark.parametrize("name", sorted(REGISTRY))
def test_a_creation_concludes_its_idempotency_key(name: str) -> None:
    """Followed through the functions it calls in `resolvers`, by name."""
    operation = REGISTRY[name]
    if not operation.creates:
        return
    module = __import__(operation.verb.__module__, fromlist=["_"])
    source = Path(module.__file__ or "").read_text()
    reached = source + "".join(
        Path(HOME.parent, *line.split()[1].split(".")).with_suffix(".py").read_text()
        for line in source.splitlines()
        if line.startswith("from gateway.resolvers.")
        and Path(HOME.parent, *line.split()[1].split(".")).with_suffix(".py").exists()
    )
    assert "conclude(" in reached, name
