"""Where a payer goes back to: the merchant's address, with `txid` and `status` added to its query."""

from urllib.parse import quote, unquote_plus

_OURS = frozenset({"txid", "status"})


def returning(url: str, txid: str, status: str) -> str:
    """`https://loja.example/ok?pedido=7&status=novo#fim` becomes
    `https://loja.example/ok?pedido=7&txid=…&status=paid#fim`.

    Parameters of the merchant's with one of our two names are replaced. All else stays as it is, byte for byte.
    """
    address, hash_, fragment = url.partition("#")
    path, question, query = address.partition("?")
    parts = query.split("&") if question and query else []
    kept = [part for part in parts if _name(part) not in _OURS]
    ours = (f"txid={quote(txid, safe='')}", f"status={quote(status, safe='')}")
    return f"{path}?{'&'.join([*kept, *ours])}{hash_}{fragment}"


def _name(parameter: str) -> str:
    return unquote_plus(parameter.partition("=")[0])
