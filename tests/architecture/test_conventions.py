"""Conventions that no linter checks."""

import ast
import re
from pathlib import Path

import pytest

import gateway
from gateway.integrations.engines.interface import Engine
from gateway.resolvers.core.operation import REGISTRY

HOME = Path(gateway.__file__).parent
TESTS = Path(__file__).resolve().parents[1]
FILES = sorted(path for path in HOME.rglob("*.py") if "versions" not in path.parts)
_VAGUE = {"utils", "util", "helpers", "helper", "common", "manager", "managers", "misc"}


def _names(path: Path) -> str:
    return path.relative_to(HOME).as_posix()


def test_no_import_is_in_a_function() -> None:
    """Such an import hides a cycle. The command line is exempt, to start faster."""
    hidden = {
        _names(path): lines for path in FILES if _names(path) != "cli/commands.py" and (lines := _hidden_imports(path))
    }
    assert hidden == {}


def _hidden_imports(path: Path) -> list[int]:
    functions = (node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, _FUNCTIONS))
    return [inner.lineno for node in functions for inner in ast.walk(node) if isinstance(inner, _IMPORTS)]


_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_IMPORTS = (ast.Import, ast.ImportFrom)


def test_no_file_has_a_vague_name() -> None:
    assert [path for path in FILES if path.stem in _VAGUE or _VAGUE & set(path.relative_to(HOME).parts)] == []


_SILENCED = re.compile(r"# (?:noqa|type: ignore)\b.*")
_WITH_REASON = re.compile(r"# (?:noqa: [A-Z0-9, ]+|type: ignore\[[a-z, -]+\]) +(?:#|--) \S")


# Without the generated files of `make clients`.
OUR_TESTS = [path for path in TESTS.rglob("*.py") if not {"generated", "node_modules"}.intersection(path.parts)]


def test_every_suppression_has_a_rule_and_a_reason() -> None:
    sources = (*HOME.rglob("*.py"), *OUR_TESTS, *(TESTS.parent / "bench").rglob("*.py"))
    silenced = [(path.name, line) for path in sources for line in _SILENCED.findall(path.read_text())]
    assert len(silenced) > 100
    assert [one for one in silenced if not _WITH_REASON.match(one[1])] == []


def test_no_resolver_reads_the_transport() -> None:
    """`ctx.origin.source` is only for the audit trail."""
    readers = [
        _names(path)
        for path in FILES
        if "resolvers" in path.parts and "audit" not in path.parts and ".source" in path.read_text()
    ]
    assert readers == []


_PORT = "|".join({name for name in (*vars(Engine), *Engine.__annotations__) if name[0] != "_"})
# `monkeypatch` of anything but the environment, `setattr`, and assignments to an engine's methods.
_PATCHED = re.compile(rf"\.(set|del)attr$|^setattr$|__setattr__$|\bengines\.\w+\.({_PORT}) =$")
_SUSPECT = re.compile(r"(set|del)attr|\bengines\.\w+\.\w+ = ")


def _changes(source: str) -> list[str]:
    """The patches in Python source, as text."""
    if not _SUSPECT.search(source):
        return []
    nodes = list(ast.walk(ast.parse(source)))
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    changed = [ast.unparse(call.func) for call in calls if not call.args or ast.unparse(call.args[0]) != "self"]
    assigned = [f"{ast.unparse(target)} =" for node in nodes if isinstance(node, ast.Assign) for target in node.targets]
    return [change for change in changed + assigned if _PATCHED.search(change)]


def test_no_test_patches_the_gateway() -> None:
    """Tests replace collaborators through `Services`."""
    found = {str(path.relative_to(TESTS)): _changes(path.read_text()) for path in OUR_TESTS}
    assert {path: changes for path, changes in found.items() if changes} == {}


@pytest.mark.parametrize(
    "source",
    [
        "monkeypatch.setattr(engine, 'create_charge', broken)",
        "patch.setattr('gateway.values.ids.new_id', fixed)",
        "setattr(engines.test, name, watching)",
        "object.__setattr__(engines, 'test', other)",
        "services.engines.test.has_bank = True",
    ],
)
def test_a_patch_is_found(source: str) -> None:
    assert len(_changes(source)) == 1


def test_every_operation_has_a_summary() -> None:
    assert [name for name, operation in REGISTRY.items() if not operation.summary or name.count(".") != 1] == []
