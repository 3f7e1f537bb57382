"""Queueing emails: one row per key, in the transaction of the operation."""

import asyncio

import pytest

from gateway.models.database import Database
from gateway.models.emails import EmailKind
from gateway.resolvers.core.context import Context, Services, system_context
from gateway.resolvers.email.outbox import EmailMessage, Recipient, enqueue
from gateway.resolvers.email.rendering import TEMPLATES, parse_template_data
from gateway.resolvers.email.templates import TemplateData
from gateway.values.ids import new_id
from tests import sql
from tests.api_client import Merchant
from tests.resolvers.email.fixtures import every_kind, gone, invitation


@pytest.fixture
def ctx(services: Services) -> Context:
    return system_context(services, source="job", request_id=new_id())


async def test_an_email_goes_to_the_store_owner_by_default(
    ctx: Context, database: Database, merchant: Merchant
) -> None:
    async with database.transaction() as transaction:
        await enqueue(ctx, transaction, EmailMessage(gone(), merchant.id, "test"))
    row = await sql.row(database, "select * from emails")
    assert row is not None
    assert (row["recipient"], row["recipient_name"]) == (merchant.email, "Ana Lojista")
    assert (row["kind"], row["environment"], row["state"]) == ("webhook_endpoint_gone", "test", 0)
    assert parse_template_data(row["kind"], row["template_data"]) == gone()


async def test_an_email_goes_to_its_named_recipient(ctx: Context, database: Database, merchant: Merchant) -> None:
    await enqueue(ctx, database, EmailMessage(gone(), merchant.id, to=Recipient("rui@example.com")))
    row = await sql.row(database, "select recipient, recipient_name from emails")
    assert row is not None
    assert tuple(row) == ("rui@example.com", None)


async def test_a_rolled_back_transaction_queues_nothing(ctx: Context, database: Database, merchant: Merchant) -> None:
    async def failing_act() -> None:
        async with database.transaction() as transaction:
            await enqueue(ctx, transaction, EmailMessage(gone(), merchant.id))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await failing_act()
    assert await sql.value(database, "select count(*) from emails") == 0


async def test_a_duplicate_key_is_queued_once_without_an_error(
    ctx: Context, database: Database, merchant: Merchant
) -> None:
    messages = [EmailMessage(gone(), merchant.id), EmailMessage(gone(name="outro nome"), merchant.id)]
    await asyncio.gather(*(enqueue(ctx, database, *messages) for _ in range(20)))
    assert await sql.value(database, "select count(*) from emails") == 1


async def test_no_messages_are_no_statement(ctx: Context, database: Database) -> None:
    await enqueue(ctx, database)
    assert await sql.value(database, "select count(*) from emails") == 0


async def test_the_token_of_an_invitation_is_encrypted_at_rest(
    ctx: Context, database: Database, merchant: Merchant
) -> None:
    message = EmailMessage(
        invitation(link="https://painel.exemplo.com.br/convite/s3cr3t"), merchant.id, to=Recipient("a@b.co")
    )
    await enqueue(ctx, database, message)
    stored = await sql.value(database, "select to_jsonb(emails)::text from emails")
    assert "convite-Zm9vYmFyYmF6cXV4" not in stored
    assert "s3cr3t" not in stored


@pytest.mark.parametrize("data", every_kind(), ids=lambda data: data.kind)
def test_template_data_survives_storage(data: TemplateData) -> None:
    assert parse_template_data(data.kind, data.model_dump(mode="json")) == data


def test_every_kind_has_its_data_and_its_own_key() -> None:
    assert set(TEMPLATES) == set(EmailKind)
    assert {data.kind for data in every_kind()} == set(EmailKind)
    assert len({data.dedupe_key for data in every_kind()}) == len(EmailKind)
