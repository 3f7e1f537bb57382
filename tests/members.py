"""Members of stores, invited and accepted through the API."""

import itertools
from typing import Any

from sqlalchemy import bindparam, select

from gateway.models.database import Statement
from gateway.models.emails import EmailKind, emails
from gateway.resolvers.core.context import Services
from tests.api_client import Merchant

_numbers = itertools.count(1)
MAILED = Statement(
    select(emails.c.template_data)
    .where(emails.c.kind == bindparam("kind"), emails.c.recipient == bindparam("recipient"))
    .order_by(emails.c.id)
)


def some_address() -> str:
    """An address without an invitation."""
    return f"pessoa{next(_numbers)}@example.com"


async def invite(owner: Merchant, email: str, role: str = "operator", **more: Any) -> dict[str, Any]:
    """A new invitation, as the API returns it."""
    response = await owner.api.post("/members", {"email": email, "role": role, **more}, token=owner.token)
    assert response.status_code == 201, response.text
    invited: dict[str, Any] = response.json()["data"]
    return invited


async def tokens_of(services: Services, email: str, kind: EmailKind = EmailKind.invitation) -> list[str]:
    """The tokens emailed to an address, oldest first."""
    rows = await services.database.all(MAILED, recipient=email.lower(), kind=kind.value)
    return [services.vault.decrypt(row["template_data"]["token"].encode()) for row in rows]


async def join(owner: Merchant, person: Merchant, role: str = "operator") -> dict[str, Any]:
    """Make the person an active member of the owner's store."""
    await invite(owner, person.email, role)
    token = (await tokens_of(owner.api.services, person.email))[-1]
    accepted = await owner.api.post("/members/accept", {"token": token}, token=person.token)
    assert accepted.status_code == 200, accepted.text
    member: dict[str, Any] = accepted.json()["data"]
    return member


async def remove(owner: Merchant, member: dict[str, Any]) -> None:
    """Remove a member or revoke an invitation."""
    gone = await owner.api.delete(f"/members/{member['id']}", token=owner.token)
    assert gone.status_code == 200, gone.text
