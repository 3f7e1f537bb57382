"""Upload of a document by a ticket: the owner's session begins it, and the bytes come by `PUT` to its address."""

from gateway.errors import FileTooLarge, InvalidInput
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.operation import operation
from gateway.resolvers.core.tickets import UPLOAD_LIFETIME, UploadTicketView, issue_ticket, redeem_ticket
from gateway.resolvers.production.documents import require_open, upload_document
from gateway.resolvers.production.types import MAX_FILE_BYTES, BeginUpload, DocumentView, UploadByTicket


@operation("production.begin_upload", Permission.owner)
async def begin_upload(ctx: Context, order: BeginUpload) -> UploadTicketView:
    """Return an address that takes one document by `PUT`, for 10 minutes."""
    require_open(ctx.actor.production.status)
    if order.size > MAX_FILE_BYTES:
        raise FileTooLarge
    arguments = {"type": order.type.value, "file_name": order.file_name, "size": order.size}
    ticket, expires_at = issue_ticket(ctx, upload_document, arguments, UPLOAD_LIFETIME)
    return UploadTicketView.of({"url": f"{ctx.settings.base_url}/uploads/{ticket}", "expires_at": expires_at})


@operation("production.upload_by_ticket", Permission.public)
async def upload_by_ticket(ctx: Context, order: UploadByTicket) -> DocumentView:
    """Store the document of a ticket, as the session that began it. The file must have the size that was announced."""
    caller, ticket = await redeem_ticket(ctx, order.ticket, upload_document)
    if len(order.file) != ticket.arguments["size"]:
        raise InvalidInput(("file", "o arquivo não tem o tamanho informado"))
    return await upload_document(caller, ticket.arguments | {"file": order.file})
