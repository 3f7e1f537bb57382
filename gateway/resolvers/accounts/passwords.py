"""What a password must be (contract section 3): 8 to 128 characters, not a common one, not the e-mail."""

import re
from functools import cache
from importlib import resources

_LISTS = ("common_passwords_zxcvbn.txt", "common_passwords.txt")
"""Passwords and names of zxcvbn (NOTICE), those of each list most common first, and what Brazilians add to them."""
_WORDS = (
    "acesso|admin|administrador|brasil|caixa|cliente|dinheiro|empresa|financeiro|gateway|loja|master|minhaloja|minhasenha|mudar|"
    "novasenha|pagamento|pagamentos|password|qwerty|senha|senhaforte|sistema|suporte|teste|trocar|usuario|vendas"
)
_DECORATED = re.compile(rf"(?:{_WORDS})[\W\d_]{{0,6}}")
"""`senha@123` and the like: the word that one is asked for, and what a form demanded beside letters."""


def is_common(password: str) -> bool:
    """Whether guessing would begin with it. Length is the input's business."""
    folded = password.casefold()
    return folded in _common() or len(set(folded)) < 3 or _DECORATED.fullmatch(folded) is not None


def is_email(password: str, email: str) -> bool:
    """Whether it is the account's own address, or what stands before the @."""
    return password.casefold() in {email.casefold(), email.partition("@")[0].casefold()}


@cache
def _common() -> frozenset[str]:
    # When it is first asked for: a process starts without it.
    folder = resources.files(__package__)
    return frozenset(word for name in _LISTS for word in folder.joinpath(name).read_text("utf-8").split())
