"""The project's Markdown pages: code blocks, links, headings."""

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
    """A Markdown file; `name` is its path in the repository."""

    path: Path

    @property
    def name(self) -> str:
        return str(self.path.relative_to(ROOT))

    @property
    def text(self) -> str:
        return self.path.read_text(encoding="utf-8")

    def blocks(self, language: str) -> list[str]:
        """Return the fenced code blocks of a language."""
        return [token.content for token in _tokens(self.path) if token.type == "fence" and token.info == language]

    def languages(self) -> set[str]:
        """Return the languages of the fenced code blocks; empty for a block without one."""
        return {token.info for token in _tokens(self.path) if token.type == "fence"}

    def links(self) -> Iterator[str]:
        """Yield the targets of links and images."""
        for token in _inline(self.path):
            target = token.attrGet("href") or token.attrGet("src")
            if target:
                yield str(target)

    def code(self) -> list[str]:
        """Return the inline `code` of the text."""
        return [token.content for token in _inline(self.path) if token.type == "code_inline"]

    def anchors(self) -> set[str]:
        """Return GitHub's anchors of the headings."""
        tokens = _tokens(self.path)
        titles = [tokens[index + 1].content for index, token in enumerate(tokens) if token.type == "heading_open"]
        return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def pages() -> list[Page]:
    """Return all Markdown files of the root and of `docs/`."""
    return [Page(path) for path in (*sorted(ROOT.glob("*.md")), *sorted(ROOT.glob("docs/**/*.md")))]


@cache
def _tokens(path: Path) -> list[Token]:
    return MarkdownIt("commonmark").enable("table").parse(path.read_text(encoding="utf-8"))


def _inline(path: Path) -> list[Token]:
    return [child for token in _tokens(path) for child in token.children or ()]
