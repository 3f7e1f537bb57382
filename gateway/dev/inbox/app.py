"""The inbox of `gateway dev`: `/dev/mail`, `/dev/mail.json`, and each email in a sandboxed frame.

Emails contain tokens of invitations. Only requests with this machine's name or address as `Host` are served, which
excludes DNS rebinding.
"""

from pathlib import Path
from typing import Any

from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from gateway.dev.this_machine import is_this_machine
from gateway.errors import Forbidden, MethodNotAllowed, NotFound
from gateway.http.static_files import Assets, content_security_policy, page_headers, page_templates
from gateway.resolvers.core.context import Context
from gateway.resolvers.email.preview import EmailPreview, preview_email, preview_emails
from gateway.values.formatting import format_timestamp
from gateway.values.ids import is_id

HERE = Path(__file__).parent
BASE = "/dev/mail"
_NO_STORE = {"Cache-Control": "no-store"}
_HEADERS = page_headers(frame_src="'self'", script_src="'none'") | _NO_STORE
# Emails have inline styles, and no scripts, forms or remote content.
_FRAMED = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": content_security_policy(
        script_src="'none'",
        style_src="'unsafe-inline'",
        img_src="data:",
        connect_src="'none'",
        frame_ancestors="'self'",
    )
    + "; sandbox allow-popups allow-popups-to-escape-sandbox",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "SAMEORIGIN",
}
_templates = page_templates(HERE / "templates")
assets = Assets(HERE / "assets", f"{BASE}/assets")
_templates.filters.update(timestamp=format_timestamp)
_templates.globals.update(asset=assets.url, base=BASE)


class InboxApp:
    """The ASGI application under `/dev`."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        ctx: Context = scope["gateway.context"]
        if not is_this_machine(ctx.origin.host, ctx.settings.base_url):
            raise Forbidden("A caixa de entrada de desenvolvimento só abre pelo endereço desta máquina.")
        path: str = scope["path"].removeprefix(scope.get("root_path", "")).strip("/")
        if path.startswith("mail/assets/"):
            await assets(dict(scope) | {"root_path": f"{scope.get('root_path', '')}/mail/assets"}, receive, send)
            return
        if scope["method"] not in {"GET", "HEAD"}:
            raise MethodNotAllowed(("GET",))
        response = await _respond(ctx, path.split("/"))
        await response(scope, receive, send)


async def _respond(ctx: Context, segments: list[str]) -> ASGIApp:
    match segments:
        case ["mail.json"]:
            return JSONResponse({"data": [_as_json(email) for email in await preview_emails(ctx)]}, headers=_NO_STORE)
        case ["mail"]:
            return await _page(ctx, None)
        case ["mail", email_id] if is_id(email_id):
            return await _page(ctx, await _read(ctx, email_id))
        case ["mail", email_id, "html"] if is_id(email_id):
            # Links open in a new tab, for most pages refuse to be framed.
            html = (await _read(ctx, email_id)).html.replace("<head>", '<head>\n<base target="_blank">', 1)
            return HTMLResponse(html, headers=_FRAMED)
        case ["mail", email_id, "eml"] if is_id(email_id):
            headers = _NO_STORE | {"Content-Disposition": f'attachment; filename="{email_id}.eml"'}
            return Response((await _read(ctx, email_id)).content, media_type="message/rfc822", headers=headers)
        case [""]:
            return RedirectResponse(BASE, 303)
        case _:
            raise NotFound("Endereço não encontrado.")


async def _read(ctx: Context, email_id: str) -> EmailPreview:
    email = await preview_email(ctx, email_id)
    if email is None:
        raise NotFound("Endereço não encontrado.")
    return email


async def _page(ctx: Context, email: EmailPreview | None) -> Response:
    emails = await preview_emails(ctx)
    html = _templates.get_template("inbox.html").render(emails=emails, email=email)
    return HTMLResponse(html, headers=_HEADERS)


def _as_json(email: EmailPreview) -> dict[str, Any]:
    return {
        "id": email.id,
        "kind": email.kind,
        "state": email.state,
        "reason": email.smtp_response,
        "from": email.headers.get("From", ""),
        "to": email.recipient,
        "reply_to": email.headers.get("Reply-To"),
        "subject": email.subject,
        "created_at": email.created_at.isoformat(),
        "headers": email.headers,
        "text": email.text,
        "html": email.html,
    }
