"""Text as HTML: Markdown descriptions and highlighted JSON."""

import re
from functools import lru_cache

from markdown_it import MarkdownIt
from markupsafe import Markup, escape

# No raw HTML: a description may contain user input one day.
_markdown = MarkdownIt("commonmark", {"html": False, "linkify": False}).enable("table")

_TOKEN = re.compile(
    r'(?P<key>"(?:[^"\\]|\\.)*")(?=\s*:)|(?P<string>"(?:[^"\\]|\\.)*")|(?P<number>-?\b\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\b)|(?P<literal>\b(?:true|false|null)\b)'
)


@lru_cache(maxsize=4096)  # Few texts are rendered thousands of times.
def markdown(source: str | None) -> Markup:
    """CommonMark with tables; raw HTML is shown as text. Long code can be scrolled by keyboard."""
    return Markup(_markdown.render(source or "").replace("<pre>", '<pre tabindex="0">'))  # noqa: S704 -- markdown-it escapes, with html off


def inline(source: str) -> Markup:
    """One line of Markdown, without a paragraph around it."""
    return Markup(_markdown.renderInline(source))  # noqa: S704 -- As above.


def code(json_text: str) -> Markup:
    """JSON with its tokens in `<span class="t-…">`."""
    parts: list[Markup] = []
    position = 0
    for token in _TOKEN.finditer(json_text):
        parts += [escape(json_text[position : token.start()]), _span(token)]
        position = token.end()
    return Markup("").join([*parts, escape(json_text[position:])])


def _span(token: re.Match[str]) -> Markup:
    return Markup('<span class="t-{}">{}</span>').format(token.lastgroup, token.group())
