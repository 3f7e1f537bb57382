"""The project's Markdown pages, and what is in them: code blocks, links, headings."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Page:
    """One Markdown file; `name` is its path from the root of the repository."""

    path: Path

    @property
    def name(self) -> str:
        return str(self.path.relative_to(ROOT))

    @property
    def text(self) -> str:
        return self.path.read_text(encoding="utf-8")

    def blocks(self, language: str) -> list[str]:
        """The fenced code blocks of a language."""
        return [token.content for token in _tokens(self.path) if token.type == "fence" and token.info == language]

    def languages(self) -> set[str]:
        """The languages of its fenced code blocks; a block without one has an empty name."""
        return {token.info for token in _tokens(self.path) if token.type == "fence"}

    def links(self) -> Iterator[str]:
        """Every target of a link or an image."""
        for token in _inline(self.path):
            target = token.attrGet("href") or token.attrGet("src")
            if target:
                yield str(target)

    def code(self) -> list[str]:
        """Every `piece of code` inside the text."""
        return [token.content for token in _inline(self.path) if token.type == "code_inline"]

    def anchors(self) -> set[str]:
        """What GitHub calls the headings."""
        tokens = _tokens(self.path)
        titles = [tokens[index + 1].content for index, token in enumerate(tokens) if token.type == "heading_open"]
        return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def pages() -> list[Page]:
    """README and its siblings, and everything under `docs/`."""
    return [Page(path) for path in (*sorted(ROOT.glob("*.md")), *sorted(ROOT.glob("docs/**/*.md")))]


@cache
def _tokens(path: Path) -> list[Token]:
    return MarkdownIt("commonmark").enable("table").parse(path.read_text(encoding="utf-8"))


def _inline(path: Path) -> list[Token]:
    return [child for token in _tokens(path) for child in token.children or ()]
