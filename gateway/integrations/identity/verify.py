"""Check that Appwrite's three responses show a Google identity. Pure functions; the rules come from Appwrite's code."""

import base64
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import orjson

from gateway.errors import IdentityRefused
from gateway.integrations.identity import Identity

_FORM = re.compile(r"[A-Za-z0-9_-]+\.([A-Za-z0-9_-]+)\.[A-Za-z0-9_-]+")
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_EMAIL = re.compile(r"[!#-'*+\-./0-9=?A-Z^-~]{1,64}@[A-Za-z0-9.-]{3,189}")
"""ASCII only: several other letters have the same lower-case form."""
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
MAX_NAME_LENGTH = 120
_BY_GOOGLE = {"google", "oauth2"}
"""The provider of a session. Older versions have `oauth2` for all; then the identity shows that it was Google."""


class Claims(NamedTuple):
    """The unverified claims of a token."""

    user_id: str
    session_id: str


def claims_of(token: str) -> Claims:
    """The claims of a token, before Appwrite has verified its signature. Refuses what can't be a token."""
    match = _FORM.fullmatch(token)
    if match is None:
        raise IdentityRefused
    try:
        payload = orjson.loads(base64.urlsafe_b64decode(match[1] + "=="))
    except ValueError:
        raise IdentityRefused from None
    claims = Claims(_text(payload, "userId"), _text(payload, "sessionId"))
    if not all(_ID.fullmatch(claim) for claim in claims):
        raise IdentityRefused
    return claims


def verify_account(account: Mapping[str, Any], claims: Claims) -> None:
    """Refuse a blocked account, and one that isn't the token's."""
    if account.get("status") is not True or _text(account, "$id") != claims.user_id:
        raise IdentityRefused


def verify_session(session: Mapping[str, Any], claims: Claims) -> None:
    """Refuse a session that isn't the token's, or was not opened with Google."""
    if (_text(session, "$id"), _text(session, "userId")) != (claims.session_id, claims.user_id):
        raise IdentityRefused
    if _text(session, "provider") not in _BY_GOOGLE:
        raise IdentityRefused


def identity_of(account: Mapping[str, Any], session: Mapping[str, Any], listed: Mapping[str, Any]) -> Identity:
    """The Google identity of the session, with a verified email.

    Appwrite's own `email` is not verified: a user with a password there may enter any. Google's counts, if Appwrite's
    is the same or was verified.
    """
    google = _of_session(session, _listed(listed, _text(account, "$id")))
    email = _text(google, "providerEmail").strip()
    agrees = email.lower() == _text(account, "email").strip().lower() or account.get("emailVerification") is True
    if not agrees or not _EMAIL.fullmatch(email):
        raise IdentityRefused
    return Identity(_text(google, "providerUid"), email.lower(), _name(account, email))


def _listed(listed: Mapping[str, Any], user_id: str) -> list[Mapping[str, Any]]:
    found = listed.get("identities")
    entries = [each for each in found if isinstance(each, Mapping)] if isinstance(found, list) else []
    return [
        each
        for each in entries
        if each.get("provider") == "google" and 0 < len(_text(each, "providerUid")) <= 255
        if _text(each, "userId") == user_id
    ]


def _of_session(session: Mapping[str, Any], identities: list[Mapping[str, Any]]) -> Mapping[str, Any]:
    """The identity that opened the session. If the session doesn't name it, there must be only one."""
    uid = _text(session, "providerUid")
    matching = [each for each in identities if not uid or _text(each, "providerUid") == uid]
    if len(matching) != 1:
        raise IdentityRefused
    return matching[0]


def _name(account: Mapping[str, Any], email: str) -> str:
    name = _CONTROL.sub(" ", _text(account, "name")).strip()[:MAX_NAME_LENGTH].strip()
    return name or email.partition("@")[0]


def _text(values: object, name: str) -> str:
    value = values.get(name) if isinstance(values, Mapping) else None
    return value if isinstance(value, str) else ""
