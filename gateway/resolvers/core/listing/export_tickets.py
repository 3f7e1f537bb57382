"""Exports by the address of a ticket: a session gets the address, and the browser streams the file from it to disk."""

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from gateway.errors import PanelOnly
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.actor import Credential
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.inputs import RawInput
from gateway.resolvers.core.listing.exports import Export, ExportFormat, export_zone
from gateway.resolvers.core.operation import REGISTRY, Operation, operation
from gateway.resolvers.core.tickets import (
    DOWNLOAD_LIFETIME,
    DownloadView,
    Ticket,
    WhichTicket,
    issue_ticket,
    read_ticket,
    redeem_ticket,
)
from gateway.values.dates import day_of


async def begin_export(
    ctx: Context,
    export: Operation[Any, Export],
    request: RawInput,
    csv_format: ExportFormat,
    columns: Sequence[str] | None,
    file_name: str | None = None,
) -> DownloadView:
    """The address that runs this export once, within a minute. The file's name is by default the table's with the day.

    Admits the caller and validates the request as the export does. Raises `PanelOnly` for an API key, which can call
    the export itself.
    """
    assert export.table is not None
    ctx = await export.admit(ctx)
    if ctx.actor.credential is not Credential.session:
        raise PanelOnly
    zone = export_zone(export.input_type.from_raw(request, ctx))
    arguments = {"request": request, "format": csv_format, "columns": export.table.choose(columns)}
    ticket, expires_at = issue_ticket(ctx, export, arguments, DOWNLOAD_LIFETIME)
    return DownloadView.of(
        {
            "url": f"{ctx.settings.base_url}/exports/{ticket}",
            "file_name": file_name or f"{export.table.name}-{day_of(ctx.clock.now(), zone)}.csv",
            "expires_at": expires_at,
        }
    )


def read_export_ticket(ctx: Context, text: str) -> tuple[Ticket, ExportFormat]:
    """The ticket of an export and the format in it, or `NotFound`. It may have been used."""
    ticket = read_ticket(ctx, text, *_exports())
    return ticket, ExportFormat(ticket.arguments["format"])


@operation("exports.download_by_ticket", Permission.public)
async def export_by_ticket(ctx: Context, which: WhichTicket) -> Export:
    """Return the export of a ticket, as the session that began it."""
    caller, ticket = await redeem_ticket(ctx, which.ticket, *_exports())
    export: Operation[Any, Export] = REGISTRY[ticket.operation]
    file = await export(caller, ticket.arguments["request"])
    return replace(file, columns=tuple(ticket.arguments["columns"]))


def _exports() -> list[Operation[Any, Export]]:
    return [each for each in REGISTRY.values() if each.result_type is Export and each is not export_by_ticket]
