"""References of the pages exist: files, headings, settings, make targets, commands, ADRs."""

import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from typer.main import get_command

from gateway.cli.commands import app
from gateway.settings import variables
from tests.docs.pages import ROOT, Page, pages

FOLDERS = ("gateway/", "tests/", "docs/", "bench/", "scripts/")
EXAMPLE = "products"  # CONTRIBUTING's example of a module.
COMMAND = get_command(app)
TEST_SETTINGS = {"GATEWAY_ROUND_TRIPS", "GATEWAY_SCREENSHOTS"}


def pages_with(faults: Callable[[Page], Iterable[str]]) -> dict[str, list[str]]:
    """Return the faults by page."""
    return {page.name: found for page in pages() if (found := sorted(faults(page)))}


def test_links_have_a_target() -> None:
    assert pages_with(lambda page: [link for link in page.links() if not _has_target(page, link)]) == {}


def _has_target(page: Page, link: str) -> bool:
    parts = urlsplit(link)
    if parts.scheme:
        return parts.scheme == "https"
    target = (page.path.parent / unquote(parts.path)).resolve() if parts.path else page.path
    if not target.is_relative_to(ROOT) or not target.exists():
        return False
    return not parts.fragment or parts.fragment in Page(target).anchors()


def test_named_files_exist() -> None:
    def missing(page: Page) -> list[str]:
        named = [text for text in page.code() if text.startswith(FOLDERS) and not re.search(r"[<*…\s]", text)]
        return [text for text in named if EXAMPLE not in text and not exists(text)]

    assert pages_with(missing) == {}


def exists(reference: str) -> bool:
    """Return whether the file exists, and for `path::name` whether it defines that test."""
    path, _, test = reference.partition("::")
    if not (ROOT / path).exists():
        return False
    return (
        not test
        or re.search(rf"^ *(?:async )?def {test}\(", (ROOT / path).read_text("utf-8"), re.MULTILINE) is not None
    )


def test_named_settings_exist() -> None:
    known = {*variables(), *TEST_SETTINGS}
    assert pages_with(lambda page: {*re.findall(r"GATEWAY_[A-Z_0-9]+", page.text)} - known) == {}


def test_named_make_targets_exist() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))

    def unknown(page: Page) -> set[str]:
        return {match[1] for text in page.code() if (match := re.match(r"make ([a-z-]+)\b", text))} - targets

    assert pages_with(unknown) == {}


def test_named_commands_exist() -> None:
    def unknown(page: Page) -> list[str]:
        named = [*page.code(), *(line for block in page.blocks("sh") for line in block.splitlines())]
        return [fault for text in named if (fault := _unknown_command(text))]

    assert pages_with(unknown) == {}


@pytest.mark.parametrize("text", ["gateway simulate nothing", "gateway promote", "gateway admin fly EMAIL | less"])
def test_an_unknown_command_is_detected(text: str) -> None:
    assert _unknown_command(text)
    assert (
        _unknown_command("gateway simulate pay TXID")
        is _unknown_command("gateway --help")
        is _unknown_command("gateway admin")
        is None
    )


def _unknown_command(text: str) -> str | None:
    """Return the text if it is a `gateway` command line with an unknown command."""
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


def test_adrs_named_in_code_exist() -> None:
    sources = [
        *ROOT.glob("gateway/**/*.py"),
        *ROOT.glob("bench/*.py"),
        *ROOT.glob("tests/**/*.py"),
        ROOT / "pyproject.toml",
    ]
    named = {number for path in sources for number in re.findall(r"ADR (\d{4})", path.read_text(encoding="utf-8"))}
    existing = {path.name[:4] for path in _adrs()}
    assert named
    assert named <= existing


def test_the_index_lists_every_adr() -> None:
    index = Page(ROOT / "docs/adr/README.md")
    assert sorted(index.links()) == sorted(path.name for path in _adrs())


def test_the_index_lists_every_guide() -> None:
    listed = set(Page(ROOT / "docs/README.md").links())
    guides = {path.name for path in ROOT.glob("docs/*.md")} - {"README.md"}
    assert guides - listed == set()


def _adrs() -> list[Path]:
    return sorted(ROOT.glob("docs/adr/[0-9]*.md"))
