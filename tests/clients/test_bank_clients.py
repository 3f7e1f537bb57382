"""Third-party clients of banks' Pix API, with the fake bank: it authenticates and answers as they expect."""

import asyncio
import os
from pathlib import Path

import pytest

from tests.clients.tools import HERE, PROGRAMS
from tests.engines.fake_bcb import FakeBcb, Manners
from tests.engines.fake_http import Json

CLIENTS = {
    # Without the `gw-dev-app-key` that the bank documents: pypix-api sends none.
    "bb": Manners(token_auth="certificate"),
    "inter": Manners(token_auth="body"),
    "sicoob": Manners(token_auth="certificate", code_field="brcode"),
    "sicredi": Manners(),
    "efi": Manners(token_auth="json"),
}


@pytest.mark.parametrize(("client", "manners"), CLIENTS.items(), ids=CLIENTS)
async def test_a_client_from_pypi_completes_a_charges_cycle(tmp_path: Path, client: str, manners: Manners) -> None:
    async with FakeBcb.running(tmp_path, manners) as fake:
        certificate = fake.authority.client(name=client)
        certificate.write(tmp_path / "client.pem")
        (tmp_path / "client.p12").write_bytes(certificate.p12("segredo"))
        (tmp_path / "certificate.pem").write_bytes(certificate.pem)
        (tmp_path / "key.pem").write_bytes(certificate.key_pem)
        program = await asyncio.create_subprocess_exec(
            PROGRAMS / "python",
            HERE / "circles" / "bank_client.py",
            *(client, str(tmp_path), f"https://127.0.0.1:{fake.port}"),
            *(fake.bank.client_id, fake.bank.client_secret, fake.bank.key),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            cwd=tmp_path,
            env={"REQUESTS_CA_BUNDLE": str(tmp_path / "ca.pem"), "PATH": os.environ["PATH"]},
        )
        running = asyncio.create_task(program.communicate())
        returned: Json | None = None
        while not running.done():
            if (tmp_path / "pay").exists() and not fake.bank.pix:
                [txid] = fake.bank.cobs
                fake.bank.pay(txid)
            if (tmp_path / "return").exists() and not returned:
                [end_to_end_id] = fake.bank.pix
                returned = fake.bank.finish_return(end_to_end_id, "d1")
            await asyncio.wait([running], timeout=0.1)
        printed, errors = await running
    lines = printed.decode().splitlines()
    assert lines == [
        "created ATIVA",
        "revised 1",
        "read CONCLUIDA 130.00",
        "refunded EM_PROCESSAMENTO",
        "returned DEVOLVIDO 29.90",
    ], errors.decode()
    assert (fake.refused, fake.mistakes) == ([], [])
    assert fake.calls[-1].certificate == client
