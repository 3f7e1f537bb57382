"""Certificates of the tests: an authority, a server on loopback, and clients that are valid, expired or foreign."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    pkcs12,
)
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID


@dataclass(frozen=True)
class Certificate:
    certificate: x509.Certificate
    key: ec.EllipticCurvePrivateKey

    @property
    def pem(self) -> bytes:
        return self.certificate.public_bytes(Encoding.PEM)

    @property
    def key_pem(self) -> bytes:
        return self.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())

    def encrypted_key_pem(self, password: str) -> bytes:
        return self.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(password.encode()))

    def p12(self, password: str = "") -> bytes:
        protection = BestAvailableEncryption(password.encode()) if password else NoEncryption()
        return pkcs12.serialize_key_and_certificates(b"client", self.key, self.certificate, None, protection)

    def write(self, path: Path) -> Path:
        """Write certificate and key to one PEM file."""
        path.write_bytes(self.pem + self.key_pem)
        return path


class Authority:
    """A certificate authority."""

    def __init__(self, name: str = "Fake Bank CA") -> None:
        self.root = _issue(name, None, is_authority=True)

    def server(self, name: str = "127.0.0.1") -> Certificate:
        """A server's certificate for an IPv4 address or a host name."""
        return _issue(name, self.root, usage=ExtendedKeyUsageOID.SERVER_AUTH)

    def client(self, *, valid: timedelta = timedelta(days=365), name: str = "A merchant") -> Certificate:
        """A client's certificate; a negative `valid` makes an expired one."""
        return _issue(name, self.root, usage=ExtendedKeyUsageOID.CLIENT_AUTH, valid=valid)


def _issue(
    name: str,
    issuer: Certificate | None,
    *,
    is_authority: bool = False,
    usage: x509.ObjectIdentifier | None = None,
    valid: timedelta = timedelta(days=365),
) -> Certificate:
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.now(UTC)
    signer = issuer.key if issuer else key
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer.certificate.subject if issuer else subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(min(now, now + valid) - timedelta(days=1))
        .not_valid_after(now + valid)
        .add_extension(x509.BasicConstraints(ca=is_authority, path_length=None), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.public_key()), critical=False)
        .add_extension(_key_usage(is_authority=is_authority), critical=True)
    )
    if usage is not None:
        builder = builder.add_extension(x509.ExtendedKeyUsage([usage]), critical=False)
    if usage == ExtendedKeyUsageOID.SERVER_AUTH:
        is_address = name.replace(".", "").isdecimal()
        own = x509.IPAddress(IPv4Address(name)) if is_address else x509.DNSName(name)
        builder = builder.add_extension(x509.SubjectAlternativeName([own]), critical=False)
    return Certificate(builder.sign(signer, hashes.SHA256()), key)


def _key_usage(*, is_authority: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=True,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=is_authority,
        crl_sign=is_authority,
        encipher_only=False,
        decipher_only=False,
    )
