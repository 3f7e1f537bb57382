"""HTTPS: the certificate must match the name in the URL, not the dialled address."""

import ssl
import warnings

import pytest

from gateway.integrations.egress.client import EgressClient
from gateway.integrations.egress.connection import BoundedStream, TlsFailure

from .receivers import OK, Authority, answers, receiving

BODY = b"{}"


async def test_the_url_s_name_is_used_in_sni_host_and_certificate_check(client, authority, tmp_path):
    context, names = authority.server_context(tmp_path, "a.merchant.test"), []
    context.sni_callback = lambda _, name, __: names.append(name)
    async with receiving(answers(OK), tls=context) as receiver:
        answer = await client.post(f"https://a.merchant.test:{receiver.port}/", BODY, {})
    assert (answer.status, answer.error_code, answer.address) == (200, None, "127.0.0.1")
    assert names == ["a.merchant.test"]
    assert b"Host: a.merchant.test:" in receiver.requests[0]


async def test_two_tenants_on_one_address_get_two_connections(client, authority, tmp_path):
    context, names = authority.server_context(tmp_path, "a.merchant.test", "b.merchant.test"), []
    context.sni_callback = lambda _, name, __: names.append(name)
    async with receiving(answers(OK, hangs=True), tls=context) as receiver:
        for tenant in ("a", "b", "a"):
            assert (await client.post(f"https://{tenant}.merchant.test:{receiver.port}/", BODY, {})).delivered
    assert names == ["a.merchant.test", "b.merchant.test", "a.merchant.test"]
    assert len(set(receiver.peers)) == 3


async def test_a_certificate_for_an_ip_address_is_accepted(client, authority, tmp_path):
    async with receiving(answers(OK), tls=authority.server_context(tmp_path, "127.0.0.1")) as receiver:
        assert (await client.post(f"https://127.0.0.1:{receiver.port}/", BODY, {})).delivered


async def refused(client: EgressClient, context: ssl.SSLContext) -> bool:
    """Return whether the handshake fails. No request is sent."""
    async with receiving(answers(OK), tls=context) as receiver:
        answer = await client.post(f"https://a.merchant.test:{receiver.port}/", BODY, {})
    assert receiver.requests == []
    return (answer.status, answer.error_code, answer.address) == (None, "tls_failure", "127.0.0.1")


async def test_a_certificate_for_another_name_is_refused(client, authority, tmp_path):
    assert await refused(client, authority.server_context(tmp_path, "b.merchant.test", "127.0.0.1"))


async def test_an_expired_certificate_is_refused(client, authority, tmp_path):
    assert await refused(client, authority.server_context(tmp_path, "a.merchant.test", expired=True))


async def test_a_certificate_of_an_unknown_authority_is_refused(client, tmp_path):
    assert await refused(client, Authority().server_context(tmp_path, "a.merchant.test"))


async def test_the_default_client_trusts_public_authorities_only(opened, resolver, authority, tmp_path):
    client = EgressClient(opened, resolver)
    assert await refused(client, authority.server_context(tmp_path, "a.merchant.test"))


async def test_tls_1_1_is_refused(client, authority, tmp_path):
    context = authority.server_context(tmp_path, "a.merchant.test")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1_1
    context.set_ciphers("ALL:@SECLEVEL=0")
    assert await refused(client, context)


@pytest.mark.parametrize(
    ("configured", "expected"),
    [
        (ssl.TLSVersion.MINIMUM_SUPPORTED, ssl.TLSVersion.TLSv1_2),
        (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_2),
        (ssl.TLSVersion.TLSv1_3, ssl.TLSVersion.TLSv1_3),
    ],
)
def test_the_caller_s_context_requires_tls_1_2_or_newer(configured, expected, opened, resolver):
    context = ssl.create_default_context()
    context.minimum_version = configured
    EgressClient(opened, resolver, ssl_context=context)
    assert context.minimum_version == expected


async def test_plain_http_on_a_tls_port_is_refused(client):
    async with receiving(answers(OK), reads_request=False) as receiver:
        answer = await client.post(f"https://a.merchant.test:{receiver.port}/", BODY, {})
    assert answer.error_code == "tls_failure"


async def test_a_server_that_hangs_in_the_handshake_times_out(client):
    async with receiving(answers(b"", hangs=True), reads_request=False) as receiver:
        answer = await client.post(f"https://a.merchant.test:{receiver.port}/", BODY, {}, deadline=0.2)
    assert (answer.error_code, answer.address) == ("timeout", "127.0.0.1")
    assert 190 <= answer.duration_ms < 30_000


async def test_a_server_that_closes_in_the_handshake_is_a_tls_failure(client):
    async with receiving(answers(b""), reads_request=False) as receiver:
        answer = await client.post(f"https://a.merchant.test:{receiver.port}/", BODY, {}, deadline=60)
    assert answer.error_code == "tls_failure"


async def test_a_timeout_after_the_handshake_skips_the_tls_shutdown(client, authority, tmp_path):
    context = authority.server_context(tmp_path, "a.merchant.test")
    async with receiving(answers(b"HTTP/1.1 200 OK\r\n", hangs=True), tls=context) as receiver:
        answer = await client.post(f"https://a.merchant.test:{receiver.port}/", BODY, {}, deadline=0.3)
    assert answer.error_code == "timeout"
    assert answer.duration_ms < 20_000  # asyncio would wait 30 s for close_notify.


async def test_bytes_before_the_handshake_are_not_part_of_the_response():
    """An attacker on the path could prepend unencrypted bytes."""
    stream = BoundedStream()
    stream.data_received(OK)
    with pytest.raises(TlsFailure, match="before the handshake"):
        await stream.start_tls(ssl.create_default_context(), "a.merchant.test")
