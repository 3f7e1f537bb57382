"""Passwords, session tokens, API keys, second factors, and encryption at rest."""

import asyncio
import base64
import hashlib
import hmac
import os
import re
import secrets
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import partial
from typing import Any

import jwt
from cryptography.exceptions import InvalidTag
from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from jwt.types import Options
from msgspec import Struct
from passlib.context import CryptContext

from gateway.values.clock import Clock
from gateway.values.ids import new_id

KEY_SECRET_LENGTH = 40
CHALLENGE_LIFETIME = timedelta(minutes=5)
_INVALID_TOKEN = (jwt.InvalidTokenError, ValueError, TypeError, OverflowError)
_COOKIE_BYTES = 32
_COOKIE_VALUE = re.compile(r"[A-Za-z0-9_-]{43}")
_FILE_VERSION = b"\x01"
_BYTES_VERSION = b"\x01"
_NONCE = 12
_ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


class Passwords:
    """Argon2id by passlib, in two threads, because a hash takes 20 ms."""

    def __init__(self, *, memory_kib: int = 19456, time_cost: int = 2) -> None:
        self._context = CryptContext(
            schemes=["argon2"],
            argon2__type="ID",
            argon2__memory_cost=memory_kib,
            argon2__time_cost=time_cost,
            argon2__parallelism=1,
        )
        self._threads = ThreadPoolExecutor(2, thread_name_prefix="passwords")
        # The hash of no password. It takes as long to verify as a real one.
        argon2 = self._context.handler("argon2")
        self._decoy: str = argon2(use_defaults=True, checksum=secrets.token_bytes(argon2.checksum_size)).to_string()

    async def hash(self, password: str) -> str:
        return await asyncio.get_running_loop().run_in_executor(self._threads, self._context.hash, password)

    async def verify(self, password: str, stored: str | None) -> bool:
        """Whether the password is right. Without a stored hash, a decoy is verified, so that it takes as long."""
        check = partial(self._context.verify, password, stored or self._decoy)
        return await asyncio.get_running_loop().run_in_executor(self._threads, check) and stored is not None


class SessionClaims(Struct, frozen=True):
    """Claims of a session token. `version` must be the account's, which a new password increments."""

    user_id: str
    environment: str
    version: int
    session_id: str


class ChallengeClaims(Struct, frozen=True):
    """Claims of a login challenge, which is exchanged with a second factor's code for a session.

    `uses`: the number of codes that the account had used. `identity`: id and address of an external identity to link.
    """

    user_id: str
    version: int
    uses: int
    identity: tuple[str, str] | None = None


class SessionCookies:
    """Values of the cookies that resume sessions: 256 bits in 43 characters. A new secret key makes all unknown.

    The first half stays the same, so that an old value is recognized. The second half of the first value is random,
    that of each next value a keyed hash: only the service can compute it, and concurrent uses get the same one.
    """

    def __init__(self, secret_key: str) -> None:
        self._key = derive(secret_key, "session cookies")

    def new(self) -> str:
        return secrets.token_urlsafe(_COOKIE_BYTES)

    def next(self, value: str) -> str:
        """The value that replaces this one."""
        raw = _cookie_bytes(value)
        constant = raw[: _COOKIE_BYTES // 2]
        changed = self._hash(b"next", raw)[: _COOKIE_BYTES - len(constant)]
        return base64.urlsafe_b64encode(constant + changed).decode().rstrip("=")

    def family(self, value: str) -> bytes:
        """The stored hash of the constant half."""
        return self._hash(b"family", _cookie_bytes(value)[: _COOKIE_BYTES // 2])

    def hash(self, value: str) -> bytes:
        """The stored hash of a value."""
        return self._hash(b"value", _cookie_bytes(value))

    def _hash(self, purpose: bytes, content: bytes) -> bytes:
        return hmac.digest(self._key, purpose + content, "sha256")


def is_cookie_value(text: str) -> bool:
    """Whether a text has the form of a cookie's value."""
    return _COOKIE_VALUE.fullmatch(text) is not None


def _cookie_bytes(value: str) -> bytes:
    return base64.urlsafe_b64decode(value + "=")


class SessionTokens:
    """Session tokens and login challenges: JWT, HS256, one key for each kind. A new secret key ends all sessions."""

    def __init__(self, secret_key: str, clock: Clock, lifetime: timedelta) -> None:
        self._key = derive(secret_key, "session tokens")
        self._challenge_key = derive(secret_key, "login challenges")
        self._clock = clock
        self.lifetime = lifetime
        self.cookies = SessionCookies(secret_key)

    def issue(self, claims: SessionClaims) -> str:
        payload = {"sub": claims.user_id, "env": claims.environment, "ver": claims.version, "sid": claims.session_id}
        return self._sign(payload, self._key, self.lifetime)

    def read(self, token: str) -> SessionClaims | None:
        """The claims of a valid token, else None."""
        try:
            payload = self._verified(token, self._key, "env", "sid")
            return SessionClaims(str(payload["sub"]), str(payload["env"]), int(payload["ver"]), str(payload["sid"]))
        except _INVALID_TOKEN:
            return None

    def challenge(self, claims: ChallengeClaims) -> str:
        """A token for the second factor of this account, valid for `CHALLENGE_LIFETIME`."""
        payload = {"sub": claims.user_id, "ver": claims.version, "use": claims.uses, "idy": claims.identity}
        return self._sign(payload, self._challenge_key, CHALLENGE_LIFETIME)

    def read_challenge(self, token: str) -> ChallengeClaims | None:
        """The claims of a valid challenge, else None."""
        try:
            payload = self._verified(token, self._challenge_key, "use")
            uid, address = payload.get("idy") or (None, None)
            identity = None if uid is None else (str(uid), str(address))
            return ChallengeClaims(str(payload["sub"]), int(payload["ver"]), int(payload["use"]), identity)
        except _INVALID_TOKEN:
            return None

    def _sign(self, payload: dict[str, Any], key: bytes, lifetime: timedelta) -> str:
        now = self._clock.now()
        return jwt.encode(payload | {"iat": now, "exp": now + lifetime, "jti": new_id()}, key, algorithm="HS256")

    def _verified(self, token: str, key: bytes, *own: str) -> dict[str, Any]:
        required = ["sub", "ver", "iat", "exp", "jti", *own]
        options: Options = {"require": required, "verify_exp": False, "verify_iat": False}
        payload: dict[str, Any] = jwt.decode(token, key, algorithms=["HS256"], options=options)
        if float(payload["exp"]) <= self._clock.now().timestamp():
            raise jwt.ExpiredSignatureError
        return payload


class Vault:
    """Encrypts secrets at rest with a key derived from `GATEWAY_SECRET_KEY`; decrypts with `older` keys as well.

    A ciphertext starts with the id of its key, `k<8 hexadecimal digits>:`, so that SQL finds those that
    `gateway admin reencrypt` has to encrypt again. Older ciphertexts have no key id.
    """

    KEY_ID_LENGTH = 10

    def __init__(self, secret_key: str, *older: str) -> None:
        self._fernet_by_key_id = {
            _key_id(key): Fernet(base64.urlsafe_b64encode(derive(key, "secrets at rest")))
            for key in (secret_key, *older)
        }
        self._aes_by_key_id = {_key_id(key): AESGCM(derive(key, "bytes at rest")) for key in (secret_key, *older)}
        self._without_key_id = MultiFernet(list(self._fernet_by_key_id.values()))
        self.key_id = _key_id(secret_key)
        """The prefix of new ciphertexts."""

    @property
    def key_ids(self) -> list[bytes]:
        """Prefixes that can be decrypted, the newest first."""
        return list(self._fernet_by_key_id)

    def encrypt(self, text: str) -> bytes:
        """Encrypt as text (Fernet)."""
        return self.key_id + self._fernet_by_key_id[self.key_id].encrypt(text.encode())

    def encrypt_bytes(self, content: bytes) -> bytes:
        """Encrypt as bytes (AES-256-GCM): faster and shorter, for short-lived data. A nonce may repeat after 2³²
        messages of one key.
        """
        nonce = os.urandom(_NONCE)
        return self.key_id + _BYTES_VERSION + nonce + self._aes_by_key_id[self.key_id].encrypt(nonce, content, None)

    def decrypt(self, encrypted: bytes) -> str:
        """The secret. Raises ValueError if no key decrypts it."""
        key_id, token = encrypted[: self.KEY_ID_LENGTH], encrypted[self.KEY_ID_LENGTH :]
        try:
            if key_id in self._fernet_by_key_id and token.startswith(_BYTES_VERSION):
                return self._decrypt_bytes(key_id, token[len(_BYTES_VERSION) :]).decode()
            if key_id in self._fernet_by_key_id:
                return self._fernet_by_key_id[key_id].decrypt(token).decode()
            return self._without_key_id.decrypt(encrypted).decode()
        except (InvalidToken, InvalidTag):
            raise ValueError(
                "a secret at rest can't be opened: was GATEWAY_SECRET_KEY changed without GATEWAY_SECRET_KEY_PREVIOUS?"
            ) from None

    def reencrypt(self, encrypted: bytes) -> bytes:
        """The same secret under the newest key. Raises ValueError like `decrypt`."""
        text = self.decrypt(encrypted)
        as_bytes = encrypted.startswith(_BYTES_VERSION, self.KEY_ID_LENGTH)
        return self.encrypt_bytes(text.encode()) if as_bytes else self.encrypt(text)

    def _decrypt_bytes(self, key_id: bytes, encrypted: bytes) -> bytes:
        nonce, rest = encrypted[:_NONCE], encrypted[_NONCE:]
        if len(nonce) < _NONCE:
            raise InvalidTag
        return self._aes_by_key_id[key_id].decrypt(nonce, rest, None)


def new_file_key() -> bytes:
    """A new key for one file (256 bits)."""
    return AESGCM.generate_key(256)


def encrypt_file(content: bytes, key: bytes, name: str) -> bytes:
    """Encrypt a file with its own key (AES-256-GCM), authenticated with its name. It may take milliseconds."""
    nonce = os.urandom(_NONCE)
    return _FILE_VERSION + nonce + AESGCM(key).encrypt(nonce, content, name.encode())


def decrypt_file(encrypted: bytes, key: bytes, name: str) -> bytes:
    """The content. Raises ValueError for another key, name or content."""
    start = len(_FILE_VERSION)
    nonce, rest = encrypted[start : start + _NONCE], encrypted[start + _NONCE :]
    if not encrypted.startswith(_FILE_VERSION) or len(nonce) < _NONCE:
        raise ValueError("a file at rest has an unknown format")
    try:
        return AESGCM(key).decrypt(nonce, rest, name.encode())
    except InvalidTag:
        raise ValueError("a file at rest was changed") from None


def derive(secret_key: str, purpose: str) -> bytes:
    """A 32-byte key for one purpose (HKDF, RFC 5869)."""
    return HKDF(algorithm=SHA256(), length=32, salt=None, info=purpose.encode()).derive(secret_key.encode())


def _key_id(secret_key: str) -> bytes:
    return b"k%s:" % derive(secret_key, "id of the key at rest")[:4].hex().encode()


def new_api_key(prefix: str, environment: str) -> str:
    """A new API key: `<prefix>_<environment>_` and 40 random characters (238 bits)."""
    return f"{prefix}_{environment}_" + "".join(secrets.choice(_ALPHABET) for _ in range(KEY_SECRET_LENGTH))


def hash_api_key(key: str) -> bytes:
    """The stored hash of a key. SHA-256 is enough for 238 random bits."""
    return hashlib.sha256(key.encode()).digest()


def new_email_token() -> str:
    """A new token for emails: 43 characters of the URL alphabet (256 bits)."""
    return secrets.token_urlsafe(32)


def hash_token(token: str) -> bytes:
    """The stored hash of a random token. SHA-256 is enough for 256 random bits."""
    return hashlib.sha256(token.encode()).digest()


def new_totp_secret() -> str:
    """A new secret of a second factor: 160 bits (RFC 4226 section 4), in base32, as apps expect it."""
    return base64.b32encode(secrets.token_bytes(20)).decode()


def totp(secret: str, step: int) -> str:
    """The code of a time step: six digits, HMAC-SHA1 (RFC 6238, and section 5.3 of RFC 4226)."""
    digest = hmac.digest(base64.b32decode(secret), step.to_bytes(8, "big"), "sha1")
    offset = digest[-1] & 0x0F
    return f"{(int.from_bytes(digest[offset : offset + 4], 'big') & 0x7FFFFFFF) % 10**6:06}"


def new_recovery_code() -> str:
    """A new recovery code: 16 characters of base32 (80 bits), in four groups."""
    text = base64.b32encode(secrets.token_bytes(10)).decode()
    return "-".join(text[start : start + 4] for start in range(0, 16, 4))


def hash_recovery_code(user_id: str, code: str) -> bytes:
    """The stored hash of a normalized recovery code, salted with the user. SHA-256 is enough for 80 random bits."""
    return hashlib.sha256(f"{user_id}:{''.join(code.split()).replace('-', '').upper()}".encode()).digest()


def new_webhook_secret() -> str:
    """A new signing secret: `whsec_` and 32 hexadecimal characters (specification section 2)."""
    return "whsec_" + secrets.token_hex(16)


def same_secret(received: str | None, expected: str | None) -> bool:
    """Compare in constant time. False if one is missing."""
    return bool(received and expected) and hmac.compare_digest((received or "").encode(), (expected or "").encode())
