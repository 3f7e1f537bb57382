"""What makes an answer of Appwrite an identity of Google's: pure functions over its three answers.

Source: engine.md part D, read from Appwrite's code.
"""

import base64
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import orjson

from gateway.errors import IdentityRefused
from gateway.integrations.identity.port import Identity

_FORM = re.compile(r"[A-Za-z0-9_-]+\.([A-Za-z0-9_-]+)\.[A-Za-z0-9_-]+")
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_EMAIL = re.compile(r"[!#-'*+\-./0-9=?A-Z^-~]{1,64}@[A-Za-z0-9.-]{3,189}")
"""Plain ASCII: of letters beyond it, several become the same when they are made lower-case."""
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_LONGEST_NAME = 120
_BY_GOOGLE = {"google", "oauth2"}
"""How a session was begun. Older versions say `oauth2` of all of them; then the identity
alone says that it was Google.
"""


class Claims(NamedTuple):
    """What a token says of itself, unproven."""

    user_id: str
    session_id: str


def require_form(token: str) -> None:
    """Refuse what can't be a token, before anybody is asked about it."""
    if not _FORM.fullmatch(token):
        raise IdentityRefused


def claims_of(token: str) -> Claims:
    """The claims of a token. Worth something only after Appwrite has accepted it: the
    signature is Appwrite's to check.
    """
    match = _FORM.fullmatch(token)
    try:
        payload = orjson.loads(base64.urlsafe_b64decode(match[1] + "==")) if match else {}
    except ValueError:
        payload = {}
    claims = Claims(_text(payload, "userId"), _text(payload, "sessionId"))
    if not all(_ID.fullmatch(claim) for claim in claims):
        raise IdentityRefused
    return claims


def judge_account(account: Mapping[str, Any], claims: Claims) -> None:
    """The account must be the token's, and not blocked."""
    if account.get("status") is not True or _text(account, "$id") != claims.user_id:
        raise IdentityRefused


def judge_session(session: Mapping[str, Any], claims: Claims) -> None:
    """The session must be the token's, and begun at Google: not by password, by mail, by SMS or by nobody."""
    if (_text(session, "$id"), _text(session, "userId")) != (claims.session_id, claims.user_id):
        raise IdentityRefused
    if _text(session, "provider") not in _BY_GOOGLE:
        raise IdentityRefused


def identity_of(account: Mapping[str, Any], session: Mapping[str, Any], listed: Mapping[str, Any]) -> Identity:
    """The identity at Google that began the session, with an address that is proven.

    Appwrite's own `email` of an account proves nothing: whoever has a password there types any address. Google's
    counts, and only where Appwrite's agrees with it or was verified.
    """
    google = _of_session(session, _listed(listed, _text(account, "$id")))
    told = _text(google, "providerEmail").strip()
    agrees = told.lower() == _text(account, "email").strip().lower() or account.get("emailVerification") is True
    if not agrees or not _EMAIL.fullmatch(told):
        raise IdentityRefused
    return Identity(_text(google, "providerUid"), told.lower(), _name(account, told))


def _listed(listed: Mapping[str, Any], user_id: str) -> list[Mapping[str, Any]]:
    found = listed.get("identities")
    entries = [each for each in found if isinstance(each, Mapping)] if isinstance(found, list) else []
    return [each for each in entries if _is_google(each) and _text(each, "userId") == user_id]


def _is_google(identity: Mapping[str, Any]) -> bool:
    return identity.get("provider") == "google" and 0 < len(_text(identity, "providerUid")) <= 255


def _of_session(session: Mapping[str, Any], identities: list[Mapping[str, Any]]) -> Mapping[str, Any]:
    """Of several identities, the one that the session was begun with; one alone, if the session doesn't say."""
    uid = _text(session, "providerUid")
    matching = [each for each in identities if not uid or _text(each, "providerUid") == uid]
    if len(matching) != 1:
        raise IdentityRefused
    return matching[0]


def _name(account: Mapping[str, Any], email: str) -> str:
    name = _CONTROL.sub(" ", _text(account, "name")).strip()[:_LONGEST_NAME].strip()
    return name or email.partition("@")[0]


def _text(values: object, name: str) -> str:
    value = values.get(name) if isinstance(values, Mapping) else None
    return value if isinstance(value, str) else ""
