"""A cob's cycle at the fake bank, by a client from PyPI: `bank_client.py CLIENT FOLDER ADDRESS ID SECRET KEY`.

Prints the status of the charge after each step, one a line.
"""

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from efipay import EfiPay
from efipay.constants import Constants
from pypix_api.auth.oauth2 import OAuth2Client
from pypix_api.banks.bb import BBPixAPI
from pypix_api.banks.inter import InterPixAPI
from pypix_api.banks.sicoob import SicoobPixAPI
from pypix_api.banks.sicredi import SicrediPixAPI

CLIENT, FOLDER, ADDRESS, CLIENT_ID, SECRET, KEY = sys.argv[1:]
TXID = "c0ffee" * 5
PERIOD = {"inicio": "2020-01-01T00:00:00Z", "fim": "2100-01-01T00:00:00Z"}
BODY = {
    "calendario": {"expiracao": 3600},
    "devedor": {"cpf": "52998224725", "nome": "José Pagador"},
    "valor": {"original": "129.90"},
    "chave": KEY,
    "solicitacaoPagador": "Pedido 1",
}
BANKS = {"bb": BBPixAPI, "inter": InterPixAPI, "sicoob": SicoobPixAPI, "sicredi": SicrediPixAPI}


def pypix() -> dict[str, Callable[..., Any]]:
    """The calls of pypix-api, as its bank `CLIENT`."""
    has_secret = CLIENT in {"inter", "sicredi"}
    token_url = f"{ADDRESS}/oauth/token"
    # One with PKCS #12, the others with PEM.
    files = (
        {"cert_pfx": f"{FOLDER}/client.p12", "pwd_pfx": "segredo"}
        if CLIENT == "inter"
        else {"cert": f"{FOLDER}/certificate.pem", "pvk": f"{FOLDER}/key.pem"}
    )
    oauth = OAuth2Client(
        token_url,
        client_id=CLIENT_ID,
        client_secret=SECRET if has_secret else None,
        client_auth="body" if CLIENT == "inter" else "basic",
        **files,
    )
    base = f"{ADDRESS}/pix" if CLIENT == "sicredi" else f"{ADDRESS}/pix/v2"
    bank = type("Bank", (BANKS[CLIENT],), {"BASE_URL": base, "TOKEN_URL": token_url})(
        # Of Banco do Brasil it requests only `pix.read pix.write` by itself.
        oauth,
        scopes="cob.read cob.write pix.read pix.write webhook.read webhook.write",
    )
    return {
        "create": lambda: bank.criar_cob(TXID, BODY),
        "revise": lambda body: bank.revisar_cob(TXID, body),
        "read": lambda: bank.consultar_cob(TXID),
        "list": lambda: bank.consultar_pix(**PERIOD),
        "refund": lambda e2e: bank.solicitar_devolucao_pix(e2e, "d1", {"valor": "29.90"}),
        "read_refund": lambda e2e: bank.consultar_devolucao_pix(e2e, "d1"),
        "webhook": lambda: bank.configurar_webhook(KEY, "https://gateway.example.com/notifications"),
    }


def efi() -> dict[str, Callable[..., Any]]:
    """The calls of efipay."""
    Constants.APIS["PIX"]["URL"]["sandbox"] = f"{ADDRESS}/pix"
    sdk = EfiPay(
        {"client_id": CLIENT_ID, "client_secret": SECRET, "sandbox": True, "certificate": f"{FOLDER}/client.pem"}
    )
    return {
        "create": lambda: sdk.pix_create_charge(params={"txid": TXID}, body=BODY),
        "revise": lambda body: sdk.pix_update_charge(params={"txid": TXID}, body=body),
        "read": lambda: sdk.pix_detail_charge(params={"txid": TXID}),
        "list": lambda: sdk.pix_received_list(params=dict(PERIOD)),
        "refund": lambda e2e: sdk.pix_devolution(params={"e2eId": e2e, "id": "d1"}, body={"valor": "29.90"}),
        "read_refund": lambda e2e: sdk.pix_detail_devolution(params={"e2eId": e2e, "id": "d1"}),
        "webhook": lambda: sdk.pix_config_webhook(
            params={"chave": KEY},
            body={"webhookUrl": "https://gateway.example.com/notifications"},
            headers={"x-skip-mtls-checking": "true"},
        ),
    }


def main() -> None:
    calls = efi() if CLIENT == "efi" else pypix()
    print("created", calls["create"]()["status"])
    print("revised", calls["revise"]({"valor": {"original": "130.00"}})["revisao"])
    calls["webhook"]()
    (Path(FOLDER) / "pay").touch()
    while "pix" not in (cob := calls["read"]()):
        time.sleep(0.1)
    print("read", cob["status"], cob["pix"][0]["valor"])
    [pix] = calls["list"]()["pix"]
    print("refunded", calls["refund"](pix["endToEndId"])["status"])
    (Path(FOLDER) / "return").touch()
    while (refund := calls["read_refund"](pix["endToEndId"]))["status"] == "EM_PROCESSAMENTO":
        time.sleep(0.1)
    print("returned", refund["status"], refund["valor"])


if __name__ == "__main__":
    main()
