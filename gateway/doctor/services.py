"""The services that the gateway connects to: Redis, the mail relay, and the storage of documents."""

import asyncio
import secrets

import obstore
from redis.asyncio import Redis
from redis.exceptions import RedisError

from gateway.doctor.check import QUERY_ERRORS, Finding, Findings, error, ok, query_row, warning
from gateway.integrations.daemon_executor import DaemonThreadPool
from gateway.integrations.object_storage import FAILURES, open_store, sanitize_reason
from gateway.integrations.smtp.client import Relay, RelayError
from gateway.settings import Settings

REDIS_TIMEOUT_SECONDS = 3
DOCUMENTS_TIMEOUT_SECONDS = 10.0
_TEST_OBJECT = b"gateway doctor was here"
_MAILS = """
    select count(*) filter (where state = 0) as waiting,
           count(*) filter (where state in (2, 3) and finished_at > now() - interval '1 day') as unsent
      from emails where state <> 1
"""


async def check_redis(settings: Settings) -> Findings:
    try:
        client = Redis.from_url(
            settings.redis_url, socket_connect_timeout=REDIS_TIMEOUT_SECONDS, socket_timeout=REDIS_TIMEOUT_SECONDS
        )
        async with client:
            info = await client.info()
    except (RedisError, OSError, ValueError, TypeError) as failure:  # TypeError: an unknown option in the URL.
        yield error("redis", f"can't be reached: {failure or type(failure).__name__}; look at GATEWAY_REDIS_URL")
        return
    policy = info.get("maxmemory_policy", "noeviction")
    if info.get("maxmemory") and policy != "noeviction":
        yield warning("redis", f"maxmemory-policy {policy} may forget counted logins; set it to noeviction")
    else:
        yield ok("redis", f"version {info.get('valkey_version') or info['redis_version']}")


async def check_mail(settings: Settings) -> Findings:
    """The relay and the queue. Sends no mail: the transaction with the relay is reset before its content."""
    sender, relay = settings.mail_sender, settings.relay
    try:
        counts = await query_row(settings, _MAILS)
    except QUERY_ERRORS:
        counts = None
    if relay is None:
        waiting = "emails" if counts is None else counts["waiting"]
        yield warning("mail", f"no relay, so {waiting} wait and each is given up after 3 days; set GATEWAY_SMTP_URL")
    else:
        yield await _check_relay(Relay(relay, helo=sender.domain), sender.addr_spec)
        if not relay.tls and relay.starttls is False and relay.password:
            yield warning("mail", "the relay's password goes over the wire unencrypted; use smtps:// or STARTTLS")
        if settings.mail_from is None:
            yield warning("mail", f"sent as {sender.addr_spec}, a domain that may not exist; set GATEWAY_MAIL_FROM")
    if counts is not None and counts["unsent"]:
        yield warning(
            "mail",
            f"{counts['unsent']} refused, given up or uncertain in the last day; docs/mail.md says how to see why",
        )


async def _check_relay(relay: Relay, sender: str) -> Finding:
    try:
        async with relay.connect() as conversation:
            await conversation.check_sender(sender)
    except RelayError as failure:
        return error("mail", f"the relay doesn't serve: {failure}; look at GATEWAY_SMTP_URL and GATEWAY_MAIL_FROM")
    return ok("mail", f"{relay.address} takes emails from {sender}")


async def check_documents(settings: Settings, *, seconds: float = DOCUMENTS_TIMEOUT_SECONDS) -> Findings:
    """Whether an object can be put into the storage of documents, read back, and deleted."""
    url = settings.documents_url
    if url is None:
        text = "nowhere to keep them: set GATEWAY_DOCUMENTS_URL to file:///a/folder or s3://bucket/prefix"
        yield error("documents", text)
        return
    try:
        async with asyncio.timeout(seconds):
            # Blocking calls in a daemon thread: see `ObstoreObjectStorage`.
            same = await DaemonThreadPool(1, "doctor-documents").run(_round_trip, url)
    except FAILURES as failure:
        yield error("documents", f"{url} can't be written, read and cleared: {sanitize_reason(failure)}")
    else:
        yield (
            ok("documents", f"stored at {url}")
            if same
            else error("documents", f"{url} returns other bytes than stored")
        )


def _round_trip(url: str) -> bool:
    store, key = open_store(url), f"doctor-{secrets.token_hex(8)}"
    obstore.put(store, key, _TEST_OBJECT, use_multipart=False)
    content = bytes(obstore.get(store, key).bytes())
    obstore.delete(store, key)
    return content == _TEST_OBJECT
