"""Where a payer goes back to: the merchant's address, with `txid` and `status` added to its query."""

from urllib.parse import quote, urlsplit, urlunsplit


def returning(url: str, txid: str, status: str) -> str:
    """`https://loja.example/ok?pedido=7#fim` becomes `https://loja.example/ok?pedido=7&txid=…&status=paid#fim`.

    What the merchant wrote stays as it is, letter by letter; all of it, where nobody can read it.
    """
    try:
        parts = urlsplit(url)
    except ValueError:  # It was taken before addresses were read at the door.
        return url
    added = f"txid={quote(txid, safe='')}&status={quote(status, safe='')}"
    return urlunsplit(parts._replace(query=f"{parts.query}&{added}" if parts.query else added))
