"""Recovery codes: told once, kept as hashes."""

from gateway.security import hash_recovery_code, new_recovery_code

HOW_MANY = 10


def new_codes(user_id: str) -> tuple[list[str], list[bytes]]:
    """Fresh codes to tell, and what is kept of them."""
    codes = [new_recovery_code() for _ in range(HOW_MANY)]
    return codes, [hash_recovery_code(user_id, code) for code in codes]
