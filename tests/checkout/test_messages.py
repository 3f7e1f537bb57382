"""Every message is used. (A missing message fails when its template is rendered.)"""

from gateway.checkout.messages_pt import TEXT
from gateway.checkout.rendering import HERE


def test_no_message_is_unused() -> None:
    templates = " ".join(path.read_text(encoding="utf-8") for path in (HERE / "templates").iterdir())

    assert [name for name in TEXT if f"t.{name}" not in templates] == []
