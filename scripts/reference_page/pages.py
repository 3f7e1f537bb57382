"""The pages as HTML. They read without JavaScript; the script adds the filter, the copy buttons, "Testar aqui"."""

from pathlib import Path
from typing import Any

from gateway.http.static_files import page_templates
from gateway.rest_compat.documentation import ASSETS
from scripts.reference_page.document import anchor, outline
from scripts.reference_page.schemas import Document
from scripts.reference_page.text import code, inline, markdown

FOLDER = Path(__file__).parent
_templates = page_templates(FOLDER / "templates")
_templates.filters.update(anchor=anchor, code=code, inline=inline, markdown=markdown)


def reference_page(raw: dict[str, Any], *, source: str = "/openapi.json") -> str:
    """The reference of an OpenAPI 3.1 document. `source` is its URL."""
    document = Document(raw)
    info = {"summary": "", "description": "", **raw["info"]}
    template = _templates.get_template("page.html")
    return template.render(asset=ASSETS.url, info=info, source=source, outline=outline(document))


def guide_page() -> str:
    """The guide of the test environment (`guide.md`), in the look of the reference."""
    template = _templates.get_template("guide.html")
    return template.render(asset=ASSETS.url, sections=_sections(FOLDER / "guide.md"))


def _sections(path: Path) -> list[dict[str, str]]:
    """The parts of a Markdown file, one for each heading of the second level."""
    parts = [part.partition("\n") for part in f"\n{path.read_text('utf-8')}".split("\n## ")[1:]]
    return [{"anchor": anchor(title), "title": title, "text": text} for title, _, text in parts]
