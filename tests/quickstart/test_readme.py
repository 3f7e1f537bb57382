"""The README's quick start runs as written and ends with a verified `charge.paid`."""

import json
import re
from pathlib import Path

import pytest
import zxingcpp
from PIL import Image

from tests.docs.pages import ROOT, Page
from tests.ports import free_port
from tests.quickstart.conftest import PROGRAMS
from tests.quickstart.terminal import Terminal

FIRST = 'export GATEWAY=http://127.0.0.1:8000 LISTEN=8200 PATH="$PWD/.venv/bin:$PATH"\n'
MARKED = re.compile(r"<!-- quick start: begin.*?-->(.*)<!-- quick start: end -->", re.DOTALL)
VERIFIED = r"{event}  .*signature ✓"
"""The line of `gateway listen` for an event."""


def quick_start() -> list[str]:
    (marked,) = MARKED.findall((ROOT / "README.md").read_text(encoding="utf-8"))
    blocks = Page(ROOT / "README.md").blocks("sh")
    assert all(block in marked for block in blocks), "a block outside of the markers would not be tested"
    return blocks


@pytest.mark.timeout(300)  # It is slow on a busy machine.
def test_the_quick_start_works_as_written(gateway: str, tmp_path: Path) -> None:
    first, *steps, last = quick_start()
    assert first == FIRST
    with Terminal(tmp_path) as terminal:
        terminal.paste(f'export GATEWAY={gateway} LISTEN={free_port()} PATH="{PROGRAMS}:$PATH"')
        printed = [terminal.paste(step) for step in steps]

        assert terminal.shows(VERIFIED.format(event="charge.created")), terminal.text
        assert terminal.shows(VERIFIED.format(event="charge.paid")), terminal.text

        assert any("\npaid\n" in f"\n{text}" for text in printed)
        charge = json.loads(terminal.paste('curl -sS "$GATEWAY/pix/$CHARGE" -H "Authorization: Bearer $KEY"').strip())[
            "data"
        ]
        assert (charge["status"], charge["amount"], charge["external_reference"]) == ("paid", 49.9, "1042")
        assert charge["paid_at"] in printed[-1]
        assert charge["pix_code"] in terminal.text
        (scanned,) = zxingcpp.read_barcodes(Image.open(tmp_path / "charge.png"))
        assert scanned.text == charge["pix_code"]

        terminal.paste(last)
        terminal.close()


@pytest.mark.parametrize("block", quick_start()[1:])
def test_blocks_have_no_characters_special_to_an_interactive_zsh(block: str) -> None:
    """These are comments, history expansion, and patterns outside quotes."""
    bare = re.sub(r"'[^']*'|\"[^\"]*\"", "", block)
    assert "#" not in bare
    assert "!" not in block.replace("$!", "")
    assert not re.search(r"[?*\[\]~]", bare)
