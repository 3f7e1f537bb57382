"""The text that `gateway dev` prints when it is ready: links, credentials and commands."""

from gateway.dev.demo import LISTEN_PORT, Demo

_LINKS = """\
The gateway is ready: {url}

{panel}  GraphiQL       {url}/graphql
  API reference  {url}/docs
  Test guide     {url}/docs/ambiente-de-teste
  Health         {url}/health
"""
_PANEL = "  Panel          {url}/painel{login}\n"
_LOGIN = "  log in with {demo.email}  password {demo.password}"
_INBOX = "  Emails         {url}/dev/mail\n"
_DEMO = """
  Demo merchant  {demo.email}  password {demo.password}
  Test API key   {demo.key}
{link}  Staff          {demo.staff_email}  password {demo.staff_password}
  Engine token   {token}  of the test engine

See webhooks arrive, in another terminal:

  gateway listen --port {port} --secret {demo.webhook_secret}

Issue a charge; pay it with the txid of the answer:

  curl -sS {url}/pix -H 'Authorization: Bearer {demo.key}' -H 'Content-Type: application/json' \\
    -d '{{"amount": 129.9, "description": "Pedido 1", "customer_name": "Maria da Silva",
         "customer_email": "maria@example.com", "customer_cpf": "529.982.247-25"}}'
  curl -sS {url}/pix/simulate-payment -H 'Authorization: Bearer {demo.key}' -H 'Content-Type: application/json' \\
    -d '{{"txid": "TXID"}}'
"""
_LINK = "  Payment link   {demo.link}{coupon}\n"
_COUPON = "  takes the coupon {demo.coupon}"
_NO_DEMO = """
  No demo data in a configured database; --demo seeds it.
"""
_END = """
Ctrl-C stops everything; the data stays."""


def banner(
    url: str, demo: Demo | None, *, token: str, inbox: bool, panel: bool = True, requested: bool | None = False
) -> str:
    """The text. `token`: of the test engine's notifications. `requested`: whether demo data was, if said."""
    login = _LOGIN.format(demo=demo) if demo else ""
    panel_line = _PANEL.format(url=url, login=login) if panel else ""
    links = (_LINKS + (_INBOX if inbox else "")).format(url=url, panel=panel_line)
    if demo is None:
        return links + (_NO_DEMO if requested is None else "") + _END
    coupon = _COUPON.format(demo=demo) if demo.coupon else ""
    link = _LINK.format(demo=demo, coupon=coupon) if demo.link else ""
    return links + _DEMO.format(url=url, demo=demo, link=link, port=LISTEN_PORT, token=token) + _END
