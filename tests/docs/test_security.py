"""`docs/security.md` covers the whole OWASP API list, and names tests for each risk."""

import re

from tests.docs.pages import ROOT, Page
from tests.docs.test_links import exists

PAGE = Page(ROOT / "docs/security.md")
EDITION = {
    1: "Broken object level authorization",
    2: "Broken authentication",
    3: "Broken object property level authorization",
    4: "Unrestricted resource consumption",
    5: "Broken function level authorization",
    6: "Unrestricted access to sensitive business flows",
    7: "Server side request forgery",
    8: "Security misconfiguration",
    9: "Improper inventory management",
    10: "Unsafe consumption of APIs",
}
"""The edition of 2023."""


def test_each_risk_has_a_threat_a_mitigation_and_tests() -> None:
    before, *chapters = re.split(r"^## ", PAGE.text, flags=re.MULTILINE)
    assert [chapter.splitlines()[0] for chapter in chapters] == [
        f"API{number}:2023 {name}" for number, name in EDITION.items()
    ]
    for text in (before, *chapters):
        named = re.findall(r"`(tests/[^`]+)`", text)
        assert len(named) >= 4, text[:60]
        assert [test for test in named if "::" not in test or not exists(test)] == []
    for chapter in chapters:
        parts = [chapter.index(part) for part in ("**The threat.**", "**Here.**", "**Shown by**")]
        assert parts == sorted(parts)


def test_a_missing_test_is_detected() -> None:
    assert exists("tests/docs/test_security.py::test_a_missing_test_is_detected")
    assert not exists("tests/docs/test_security.py::test_that_was_never_written")
