"""`docs/settings.md` is what the settings say of themselves."""

import runpy

from gateway.settings import Settings
from tests.docs.pages import ROOT, Page


def test_the_page_of_settings_is_up_to_date() -> None:
    page = runpy.run_path(str(ROOT / "scripts/settings_page.py"))["page"]()
    assert Page(ROOT / "docs/settings.md").text == page, "run `make schema`"


def test_each_setting_says_what_it_means() -> None:
    assert [name for name, field in Settings.model_fields.items() if not field.description] == []
