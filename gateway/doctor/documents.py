"""Where merchants' documents are kept: whether an object can be put there, read back and deleted."""

import asyncio
import secrets

import obstore

from gateway.doctor.findings import Finding, good, mend
from gateway.integrations.daemon_executor import DaemonThreads
from gateway.integrations.object_storage import FAILURES, open_store, sanitize_reason
from gateway.settings import Settings

PATIENCE_SECONDS = 10.0
_TRIAL = b"gateway doctor was here"
_NOWHERE = "nowhere to keep them: set GATEWAY_DOCUMENTS_URL to file:///a/folder or s3://bucket/prefix"


async def documents(settings: Settings, *, patience: float = PATIENCE_SECONDS) -> Finding:
    """The one finding about the archive of documents, after `patience` seconds at the latest."""
    url = settings.documents_url
    if url is None:
        return mend("documents", _NOWHERE)
    try:
        async with asyncio.timeout(patience):
            # The blocking calls in a thread of ours, for which nobody waits at the end: see `ObjectArchive`.
            whole = await DaemonThreads(1, "doctor-documents").run(_tried, url)
    except FAILURES as error:
        return mend("documents", f"{url} can't be written, read and cleared: {sanitize_reason(error)}")
    return (
        good("documents", f"kept at {url}") if whole else mend("documents", f"{url} doesn't give back what it is given")
    )


def _tried(url: str) -> bool:
    """Whether what is put is what is got."""
    store, key = open_store(url), f"doctor-{secrets.token_hex(8)}"
    obstore.put(store, key, _TRIAL, use_multipart=False)
    got = bytes(obstore.get(store, key).bytes())
    obstore.delete(store, key)
    return got == _TRIAL
