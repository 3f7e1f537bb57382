"""The browser fixture: without Chromium, tests skip, or fail in CI."""

import pytest

from tests.chromium import find_chromium


@pytest.mark.parametrize(("ci", "outcome"), [("", pytest.skip.Exception), ("true", pytest.fail.Exception)])
def test_without_chromium_tests_skip_or_fail_in_ci(
    monkeypatch: pytest.MonkeyPatch, ci: str, outcome: type[BaseException]
) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("CI", ci)

    with pytest.raises(outcome, match="no chromium on PATH"):
        find_chromium()
