"""`/dev/mail`, `/dev/mail.json` and the mails themselves, each in a frame that may do nothing.

Invitations are read here, with their tokens. So only a browser that was sent to this machine by name or by number is
served: a page that points its own name at this machine (DNS rebinding) has another `Host`.
"""

from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.datastructures import Headers
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from gateway.errors import Forbidden, MethodNotAllowed, NotFound
from gateway.http.static_files import Assets, content_security_policy, page_headers
from gateway.resolvers.core.context import Context
from gateway.resolvers.email.preview import EmailPreview, preview_email, preview_emails
from gateway.values.formatting import moment
from gateway.values.ids import is_id

HERE = Path(__file__).parent
BASE = "/dev/mail"
_HEADERS = page_headers(frame_src="'self'", script_src="'none'") | {"Cache-Control": "no-store"}
# The styles of a mail are inline, as mail clients want them; scripts, forms and addresses of
# others are not its business.
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
_templates = Environment(
    loader=FileSystemLoader(HERE / "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
assets = Assets(HERE / "assets", f"{BASE}/assets")
_templates.filters.update(moment=moment)
_templates.globals.update(asset=assets.url, base=BASE)


class InboxDoor:
    """The ASGI application under `/dev`. The context comes with the scope, from the middleware."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        ctx: Context = scope["gateway.context"]
        _require_this_machine(scope, ctx.settings.base_url)
        path: str = scope["path"].removeprefix(scope.get("root_path", "")).strip("/")
        if path.startswith("mail/assets/"):
            await assets(dict(scope) | {"root_path": f"{scope.get('root_path', '')}/mail/assets"}, receive, send)
            return
        if scope["method"] not in {"GET", "HEAD"}:
            raise MethodNotAllowed(("GET",))
        answer = await _answer(ctx, path.split("/"))
        await answer(scope, receive, send)


async def _answer(ctx: Context, segments: list[str]) -> ASGIApp:
    match segments:
        case ["mail.json"]:
            return JSONResponse({"data": [_told(letter) for letter in await preview_emails(ctx)]}, headers=_NO_STORE)
        case ["mail"]:
            return await _page(ctx, None)
        case ["mail", letter_id] if is_id(letter_id):
            return await _page(ctx, await _letter(ctx, letter_id))
        case ["mail", letter_id, "html"] if is_id(letter_id):
            return HTMLResponse(_in_a_frame((await _letter(ctx, letter_id)).html), headers=_FRAMED)
        case ["mail", letter_id, "eml"] if is_id(letter_id):
            return _download(await _letter(ctx, letter_id))
        case [""]:
            return RedirectResponse(BASE, 303)
        case _:
            raise NotFound("Endereço não encontrado.")


_NO_STORE = {"Cache-Control": "no-store"}


async def _letter(ctx: Context, letter_id: str) -> EmailPreview:
    letter = await preview_email(ctx, letter_id)
    if letter is None:
        raise NotFound("Endereço não encontrado.")
    return letter


async def _page(ctx: Context, letter: EmailPreview | None) -> Response:
    letters = await preview_emails(ctx)
    html = _templates.get_template("inbox.html").render(letters=letters, letter=letter)
    return HTMLResponse(html, headers=_HEADERS)


def _in_a_frame(html: str) -> str:
    # A link of the mail opens beside the inbox: within the frame, most pages refuse to be shown.
    return html.replace("<head>", '<head>\n<base target="_blank">', 1)


def _download(letter: EmailPreview) -> Response:
    headers = _NO_STORE | {"Content-Disposition": f'attachment; filename="{letter.id}.eml"'}
    return Response(letter.content, media_type="message/rfc822", headers=headers)


def _told(letter: EmailPreview) -> dict[str, Any]:
    return {
        "id": letter.id,
        "kind": letter.kind,
        "state": letter.state,
        "reason": letter.smtp_response,
        "from": letter.headers.get("From", ""),
        "to": letter.recipient,
        "reply_to": letter.headers.get("Reply-To"),
        "subject": letter.subject,
        "created_at": letter.created_at.isoformat(),
        "headers": letter.headers,
        "text": letter.text,
        "html": letter.html,
    }


def _require_this_machine(scope: Scope, base_url: str) -> None:
    host = urlsplit(f"//{Headers(scope=scope).get('host', '')}").hostname or ""
    if host not in {"localhost", urlsplit(base_url).hostname} and not _is_number(host):
        raise Forbidden("A caixa de entrada de desenvolvimento só abre pelo endereço desta máquina.")


def _is_number(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True
