"""What the pages point at exists: files, headings, settings, make's targets, decisions."""

import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from typer.main import get_command

from gateway.cli.commands import app
from gateway.settings import Settings
from tests.docs.pages import ROOT, Page, pages

PLACES = ("gateway/", "tests/", "docs/", "bench/", "scripts/")
IMAGINED = "products"  # CONTRIBUTING's example of a room.
COMMAND = get_command(app)
OF_THE_TESTS = {"GATEWAY_ROUND_TRIPS", "GATEWAY_SCREENSHOTS"}


def faulty(faults: Callable[[Page], Iterable[str]]) -> dict[str, list[str]]:
    """What is wrong with which page."""
    return {page.name: found for page in pages() if (found := sorted(faults(page)))}


def test_links_lead_somewhere() -> None:
    assert faulty(lambda page: [link for link in page.links() if not _leads_somewhere(page, link)]) == {}


def _leads_somewhere(page: Page, link: str) -> bool:
    parts = urlsplit(link)
    if parts.scheme:
        return parts.scheme == "https"
    target = (page.path.parent / unquote(parts.path)).resolve() if parts.path else page.path
    if not target.is_relative_to(ROOT) or not target.exists():
        return False
    return not parts.fragment or parts.fragment in Page(target).anchors()


def test_files_that_are_named_exist() -> None:
    def missing(page: Page) -> list[str]:
        named = [text for text in page.code() if text.startswith(PLACES) and not re.search(r"[<*…\s]", text)]
        return [text for text in named if IMAGINED not in text and not exists(text)]

    assert faulty(missing) == {}


def exists(named: str) -> bool:
    """Whether there is such a file, and where `path::name` names one, such a test in it."""
    path, _, test = named.partition("::")
    if not (ROOT / path).exists():
        return False
    return (
        not test
        or re.search(rf"^ *(?:async )?def {test}\(", (ROOT / path).read_text("utf-8"), re.MULTILINE) is not None
    )


def test_settings_that_are_named_exist() -> None:
    known = {f"GATEWAY_{name.upper()}" for name in Settings.model_fields} | OF_THE_TESTS
    assert faulty(lambda page: {*re.findall(r"GATEWAY_[A-Z_0-9]+", page.text)} - known) == {}


def test_targets_of_make_that_are_named_exist() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))

    def unknown(page: Page) -> set[str]:
        return {match[1] for text in page.code() if (match := re.match(r"make ([a-z-]+)\b", text))} - targets

    assert faulty(unknown) == {}


def test_commands_that_are_named_exist() -> None:
    def unknown(page: Page) -> list[str]:
        named = [*page.code(), *(line for block in page.blocks("sh") for line in block.splitlines())]
        return [fault for text in named if (fault := _misnamed(text))]

    assert faulty(unknown) == {}


@pytest.mark.parametrize("text", ["gateway simulate nothing", "gateway promote", "gateway admin fly EMAIL | less"])
def test_a_command_that_there_is_not_is_seen(text: str) -> None:
    assert _misnamed(text)
    assert _misnamed("gateway simulate pay TXID") is _misnamed("gateway --help") is _misnamed("gateway admin") is None


def _misnamed(text: str) -> str | None:
    """What the command line doesn't know of a line that begins with `gateway`: its words are followed to the command
    that they name, and what comes behind that is its own.
    """
    command: Any = COMMAND
    words = text.split()
    if not words or words[0] != "gateway":
        return None
    for word in words[1:]:
        if word.startswith("-") or not hasattr(command, "commands"):
            return None
        if word not in command.commands:
            return text
        command = command.commands[word]
    return None


def test_decisions_that_the_code_names_exist() -> None:
    sources = [
        *ROOT.glob("gateway/**/*.py"),
        *ROOT.glob("bench/*.py"),
        *ROOT.glob("tests/**/*.py"),
        ROOT / "pyproject.toml",
    ]
    named = {number for path in sources for number in re.findall(r"ADR (\d{4})", path.read_text(encoding="utf-8"))}
    written = {path.name[:4] for path in _decisions()}
    assert named
    assert named <= written


def test_the_index_lists_every_decision() -> None:
    index = Page(ROOT / "docs/adr/README.md")
    assert sorted(index.links()) == sorted(path.name for path in _decisions())


def test_the_index_lists_every_guide() -> None:
    listed = set(Page(ROOT / "docs/README.md").links())
    guides = {path.name for path in ROOT.glob("docs/*.md")} - {"README.md"}
    assert guides - listed == set()


def _decisions() -> list[Path]:
    return sorted(ROOT.glob("docs/adr/[0-9]*.md"))
