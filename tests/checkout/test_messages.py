"""Every sentence is said somewhere. (One that a template misses is an error when it is drawn.)"""

from gateway.checkout.messages_pt import TEXT
from gateway.checkout.rendering import HERE


def test_no_message_is_unused() -> None:
    templates = " ".join(path.read_text(encoding="utf-8") for path in (HERE / "templates").iterdir())

    assert [name for name in TEXT if f"t.{name}" not in templates] == []
