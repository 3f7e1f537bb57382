"""The harness itself: no browser is a reason to skip on a developer's machine and a failure in CI."""

import pytest

from tests.chromium import find_chromium


@pytest.mark.parametrize(("ci", "outcome"), [("", pytest.skip.Exception), ("true", pytest.fail.Exception)])
def test_a_machine_without_chromium(monkeypatch: pytest.MonkeyPatch, ci: str, outcome: type[BaseException]) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("CI", ci)

    with pytest.raises(outcome, match="no chromium on PATH"):
        find_chromium()
