"""What a password must be (contract section 3): 8 to 128 characters, not a common one, not the e-mail."""

from importlib import resources

from gateway.errors import InvalidInput

_COMMON = frozenset(resources.files(__package__).joinpath("common_passwords.txt").read_text("utf-8").split())


def refuse_weak(password: str, email: str, *, field: str = "password") -> None:
    """Raise `InvalidInput` for a password that is easily guessed. Length is the input's business."""
    folded = password.casefold()
    if folded in _COMMON or len(set(folded)) < 3:
        raise InvalidInput((field, "esta senha é muito comum; escolha outra"))
    if folded in {email.casefold(), email.partition("@")[0].casefold()}:
        raise InvalidInput((field, "a senha não pode ser o seu e-mail"))
