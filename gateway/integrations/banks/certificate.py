"""The client certificate of a bank's API: PEM, with its key in the same or another file, or PKCS #12 (`.p12`)."""

import secrets
import ssl
import tempfile
from datetime import datetime
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
    pkcs12,
)
from cryptography.hazmat.primitives.serialization.pkcs12 import PKCS12PrivateKeyTypes
from msgspec import Struct

_PEM = b"-----BEGIN"


class CertificateError(ValueError):
    """A certificate that cannot be used. The message is for an operator and has no secret."""


class CertificateFiles(Struct, frozen=True):
    """Where the certificate is. `key`: of a PEM certificate without its key. `ca`: certificates to trust in addition
    to the public ones.
    """

    certificate: Path
    key: Path | None = None
    password: str | None = None
    ca: Path | None = None

    @property
    def version(self) -> tuple[int, ...]:
        """Changes when a file is replaced. Raises `OSError`."""
        paths = (path for path in (self.certificate, self.key, self.ca) if path)
        return tuple(number for path in paths for stat in [path.stat()] for number in (stat.st_mtime_ns, stat.st_ino))


class ClientCertificate(Struct, frozen=True):
    """A certificate whose key belongs to it. `chain` has the certificates of authorities that came with it."""

    certificate: x509.Certificate
    key: PKCS12PrivateKeyTypes
    chain: tuple[x509.Certificate, ...] = ()

    @property
    def expires_at(self) -> datetime:
        return self.certificate.not_valid_after_utc


def load_certificate(files: CertificateFiles) -> ClientCertificate:
    """Read a certificate and its key. Raises `CertificateError`."""
    try:
        data = files.certificate.read_bytes()
        key_data = files.key.read_bytes() if files.key else data
    except OSError as error:
        raise CertificateError(
            f"cannot be read: {error.strerror}; name an existing file that the gateway's user can read"
        ) from None
    password = files.password.encode() if files.password else None
    loaded = _load_pem(data, key_data, password) if _PEM in data else _load_p12(data, password)
    if _public_bytes(loaded.key) != _public_bytes(loaded.certificate):
        raise CertificateError("the key does not belong to the certificate: use the key that it was requested with")
    return loaded


def add_certificate(context: ssl.SSLContext, files: CertificateFiles, certificate: ClientCertificate) -> None:
    """Add the certificate and the authorities to a TLS context. Blocks. Raises `CertificateError`."""
    try:
        if files.ca:
            context.load_verify_locations(files.ca)
    except (OSError, ssl.SSLError):
        raise CertificateError(f"the authorities in {files.ca.name if files.ca else ''} cannot be read") from None
    # OpenSSL loads from files only: the key is encrypted with a temporary password.
    password = secrets.token_bytes(32)
    pem = certificate.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(password))
    pem += b"".join(each.public_bytes(Encoding.PEM) for each in (certificate.certificate, *certificate.chain))
    with tempfile.NamedTemporaryFile() as file:
        file.write(pem)
        file.flush()
        try:
            context.load_cert_chain(file.name, password=password)
        except ssl.SSLError as error:
            raise CertificateError(f"TLS refuses it: {error.reason}") from None


def _load_pem(data: bytes, key_data: bytes, password: bytes | None) -> ClientCertificate:
    try:
        first, *chain = x509.load_pem_x509_certificates(data)
        key = load_pem_private_key(key_data, password if b"ENCRYPTED" in key_data else None)
    except TypeError:
        raise CertificateError("the key is encrypted, and no password is set: set …_CERTIFICATE_PASSWORD") from None
    except ValueError:
        raise CertificateError(
            "there is no readable certificate and key, or the password is wrong; a key in a file of its own is named by "
            "…_CERTIFICATE_KEY"
        ) from None
    return ClientCertificate(first, _usable(key), tuple(chain))


def _load_p12(data: bytes, password: bytes | None) -> ClientCertificate:
    try:
        key, certificate, chain = pkcs12.load_key_and_certificates(data, password)
    except ValueError as error:
        raise CertificateError(
            f"it is no readable PEM or PKCS #12 file, or the password is wrong ({str(error)[:100]}); an old file may need "
            "`openssl pkcs12 -legacy -in FILE -out NEW.pem -nodes`"
        ) from None
    if key is None or certificate is None:
        raise CertificateError("the file has no certificate with a key")
    return ClientCertificate(certificate, _usable(key), tuple(chain))


def _usable(key: object) -> PKCS12PrivateKeyTypes:
    if not hasattr(key, "private_bytes"):
        raise CertificateError("the key has a type that TLS cannot use")
    return key  # type: ignore[return-value]  # The other types of keys are refused by TLS.


def _public_bytes(owner: PKCS12PrivateKeyTypes | x509.Certificate) -> bytes:
    return owner.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
