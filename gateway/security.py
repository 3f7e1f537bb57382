"""Secrets and who holds them: passwords, session tokens, API keys, and encryption at rest."""

import asyncio
import base64
import hashlib
import hmac
import os
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
_NOT_OURS = (jwt.InvalidTokenError, ValueError, TypeError, OverflowError)
_SEALED_FILE = b"\x01"
_SEALED_BYTES = b"\x01"
_NONCE = 12
_ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


class Passwords:
    """Argon2id through passlib, in a pool of two threads: inline, one hash would stall the event loop 20 ms."""

    def __init__(self, *, memory_kib: int = 19456, time_cost: int = 2) -> None:
        self._context = CryptContext(
            schemes=["argon2"],
            argon2__type="ID",
            argon2__memory_cost=memory_kib,
            argon2__time_cost=time_cost,
            argon2__parallelism=1,
        )
        self._threads = ThreadPoolExecutor(2, thread_name_prefix="passwords")
        # Of no password, and made without hashing one: verifying it takes as long.
        argon2 = self._context.handler("argon2")
        self._decoy: str = argon2(use_defaults=True, checksum=secrets.token_bytes(argon2.checksum_size)).to_string()

    async def hash(self, password: str) -> str:
        """The hash to store."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, self._context.hash, password)

    async def verify(self, password: str, stored: str | None) -> bool:
        """Whether the password is right. Without a stored hash a decoy is verified, so that both take as long."""
        check = partial(self._context.verify, password, stored or self._decoy)
        return await asyncio.get_running_loop().run_in_executor(self._threads, check) and stored is not None


class SessionClaims(Struct, frozen=True):
    """What a session token says. `version` must match the account's, so a new password ends older sessions, and the
    session must not have been ended; tokens from before sessions were kept name none.
    """

    user_id: str
    environment: str
    version: int
    session_id: str | None = None


class ChallengeClaims(Struct, frozen=True):
    """What stands between a right password and a session: whose second factor is asked for. `uses` is how many
    codes the account had used then. `identity` is an external identity (its id and address) that the session is
    to be opened with from now on.
    """

    user_id: str
    version: int
    uses: int
    identity: tuple[str, str] | None = None


class SessionTokens:
    """Signs and reads session tokens, and the challenges before them: JWT, HS256, each kind with a key of its own, so
    that neither passes for the other. A new secret key ends all sessions, also where the old one still opens secrets at
    rest: whoever has learnt the old one must not go on making sessions with it.
    """

    def __init__(self, secret_key: str, clock: Clock, lifetime: timedelta) -> None:
        self._key = derive(secret_key, "session tokens")
        self._challenge_key = derive(secret_key, "login challenges")
        self._clock = clock
        self._lifetime = lifetime

    @property
    def lifetime(self) -> timedelta:
        """How long a session's token is good for."""
        return self._lifetime

    def issue(self, claims: SessionClaims) -> str:
        payload = {"sub": claims.user_id, "env": claims.environment, "ver": claims.version}
        named = {} if claims.session_id is None else {"sid": claims.session_id}
        return self._sign(payload | named, self._key, self._lifetime)

    def read(self, token: str) -> SessionClaims | None:
        """The claims of a token that is ours and still valid, else None."""
        try:
            payload = self._verified(token, self._key, "env")
            session_id = None if payload.get("sid") is None else str(payload["sid"])
            return SessionClaims(str(payload["sub"]), str(payload["env"]), int(payload["ver"]), session_id)
        except _NOT_OURS:
            return None

    def challenge(self, claims: ChallengeClaims) -> str:
        """A token that says no more than: the second factor of this account, within `CHALLENGE_LIFETIME`."""
        payload = {"sub": claims.user_id, "ver": claims.version, "use": claims.uses, "idy": claims.identity}
        return self._sign(payload, self._challenge_key, CHALLENGE_LIFETIME)

    def read_challenge(self, token: str) -> ChallengeClaims | None:
        """The claims of a challenge that is ours and still valid, else None."""
        try:
            payload = self._verified(token, self._challenge_key, "use")
            uid, address = payload.get("idy") or (None, None)
            identity = None if uid is None else (str(uid), str(address))
            return ChallengeClaims(str(payload["sub"]), int(payload["ver"]), int(payload["use"]), identity)
        except _NOT_OURS:
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
    """Encrypts secrets at rest with a key derived from `GATEWAY_SECRET_KEY`; `older` ones still read.

    What is sealed begins with the mark of its key, `k<8 hexadecimal digits>:`, so that the database can say which
    secrets wait for `gateway admin reseal`. What was sealed before there were marks begins otherwise, and reads too.

    To seal is to encrypt and authenticate here. The seals of the audit trail are hashes, and hide nothing: see
    `gateway.resolvers.audit.chain`.
    """

    MARK_LENGTH = 10

    def __init__(self, secret_key: str, *older: str) -> None:
        self._by_mark = {_mark(key): _fernet(key) for key in (secret_key, *older)}
        self._bytes_by_mark = {_mark(key): AESGCM(derive(key, "bytes at rest")) for key in (secret_key, *older)}
        self._unmarked = MultiFernet(list(self._by_mark.values()))
        self.mark = _mark(secret_key)
        """How everything sealed from now on begins."""

    @property
    def marks(self) -> list[bytes]:
        """How what can be opened begins, the newest key's first."""
        return list(self._by_mark)

    def seal(self, text: str) -> bytes:
        """As text, which may stand within other text (Fernet)."""
        return self.mark + self._by_mark[self.mark].encrypt(text.encode())

    def seal_bytes(self, content: bytes) -> bytes:
        """As bytes (AES-256-GCM): a tenth of the time, and 39 bytes longer instead of a third. For what is soon
        forgotten, however many are made: of 2³² that one key has sealed, two might have the same nonce.
        """
        nonce = os.urandom(_NONCE)
        return self.mark + _SEALED_BYTES + nonce + self._bytes_by_mark[self.mark].encrypt(nonce, content, None)

    def open(self, sealed: bytes) -> str:
        """The secret. Raises ValueError where no key of ours sealed it."""
        mark, token = sealed[: self.MARK_LENGTH], sealed[self.MARK_LENGTH :]
        try:
            if mark in self._by_mark and token.startswith(_SEALED_BYTES):
                return self._opened(mark, token[len(_SEALED_BYTES) :]).decode()
            if mark in self._by_mark:
                return self._by_mark[mark].decrypt(token).decode()
            return self._unmarked.decrypt(sealed).decode()
        except (InvalidToken, InvalidTag):
            raise ValueError(
                "a secret at rest can't be opened: was GATEWAY_SECRET_KEY changed without GATEWAY_SECRET_KEY_PREVIOUS?"
            ) from None

    def reseal(self, sealed: bytes) -> bytes:
        """The same secret under the newest key. Raises ValueError as `open` does."""
        as_bytes = sealed.startswith(_SEALED_BYTES, self.MARK_LENGTH)
        return self.seal_bytes(self.open(sealed).encode()) if as_bytes else self.seal(self.open(sealed))

    def _opened(self, mark: bytes, sealed: bytes) -> bytes:
        nonce, rest = sealed[:_NONCE], sealed[_NONCE:]
        if len(nonce) < _NONCE:
            raise InvalidTag
        return self._bytes_by_mark[mark].decrypt(nonce, rest, None)


def new_file_key() -> bytes:
    """A fresh key for one file (256 bits)."""
    return AESGCM.generate_key(256)


def seal_file(content: bytes, key: bytes, name: str) -> bytes:
    """A file sealed with its key, under its name (AES-256-GCM): 29 bytes longer, and no other file can take its place.

    Not for the event loop: ten megabytes take some milliseconds.
    """
    nonce = os.urandom(_NONCE)
    return _SEALED_FILE + nonce + AESGCM(key).encrypt(nonce, content, name.encode())


def open_file(sealed: bytes, key: bytes, name: str) -> bytes:
    """The content. Raises ValueError for what was not sealed with this key under this name."""
    start = len(_SEALED_FILE)
    nonce, rest = sealed[start : start + _NONCE], sealed[start + _NONCE :]
    if not sealed.startswith(_SEALED_FILE) or len(nonce) < _NONCE:
        raise ValueError("a file at rest isn't sealed as ours are")
    try:
        return AESGCM(key).decrypt(nonce, rest, name.encode())
    except InvalidTag:
        raise ValueError("a file at rest is not what was put there") from None


def derive(secret_key: str, purpose: str) -> bytes:
    """A 32-byte key for one purpose (HKDF, RFC 5869)."""
    return HKDF(algorithm=SHA256(), length=32, salt=None, info=purpose.encode()).derive(secret_key.encode())


def _fernet(secret_key: str) -> Fernet:
    return Fernet(base64.urlsafe_b64encode(derive(secret_key, "secrets at rest")))


def _mark(secret_key: str) -> bytes:
    return b"k%s:" % derive(secret_key, "mark of the key at rest")[:4].hex().encode()


def new_api_key(prefix: str, environment: str) -> str:
    """A fresh API key: `<prefix>_<environment>_` and 40 random characters (238 bits)."""
    return f"{prefix}_{environment}_" + "".join(secrets.choice(_ALPHABET) for _ in range(KEY_SECRET_LENGTH))


def hash_api_key(key: str) -> bytes:
    """What is stored and looked up of a key: SHA-256 is enough for 238 random bits."""
    return hashlib.sha256(key.encode()).digest()


def new_mailed_token() -> str:
    """A fresh token that travels in a mail alone: 43 characters of the URL alphabet (256 bits)."""
    return secrets.token_urlsafe(32)


def hash_token(token: str) -> bytes:
    """What is stored and looked up of a random token: SHA-256 is enough for 256 random bits."""
    return hashlib.sha256(token.encode()).digest()


def new_totp_secret() -> str:
    """A fresh secret of a second factor: 160 bits (RFC 4226 section 4), as the base32 that apps are given."""
    return base64.b32encode(secrets.token_bytes(20)).decode()


def totp(secret: str, step: int) -> str:
    """The code of a time step: six digits, HMAC-SHA1 (RFC 6238, and section 5.3 of RFC 4226)."""
    digest = hmac.digest(base64.b32decode(secret), step.to_bytes(8, "big"), "sha1")
    place = digest[-1] & 0x0F
    return f"{(int.from_bytes(digest[place : place + 4], 'big') & 0x7FFFFFFF) % 10**6:06}"


def new_recovery_code() -> str:
    """A fresh recovery code: 16 characters of base32 (80 bits), in four groups."""
    text = base64.b32encode(secrets.token_bytes(10)).decode()
    return "-".join(text[place : place + 4] for place in range(0, 16, 4))


def hash_recovery_code(user_id: str, code: str) -> bytes:
    """What is stored and looked up of a recovery code, however it is written: salted by whose it is. SHA-256
    is enough for 80 random bits.
    """
    return hashlib.sha256(f"{user_id}:{''.join(code.split()).replace('-', '').upper()}".encode()).digest()


def new_webhook_secret() -> str:
    """A fresh signing secret: `whsec_` and 32 hexadecimal characters (specification section 2)."""
    return "whsec_" + secrets.token_hex(16)


def same_secret(given: str | None, expected: str | None) -> bool:
    """Compare in constant time; nothing equals a secret that isn't set."""
    return bool(given and expected) and hmac.compare_digest((given or "").encode(), (expected or "").encode())
