"""docs/connect-your-bank.md: `gateway doctor` leads from nothing to a connected bank, and the guide has each fault."""

import asyncio
import re
from datetime import timedelta
from pathlib import Path

import pytest

from gateway.cli.context import ConsoleError, run
from gateway.doctor import examine
from gateway.integrations.banks.profiles import PROFILES, SCOPES, Bank
from gateway.integrations.banks.settings import BankSettings
from gateway.models.base import Environment
from gateway.models.database import Database
from gateway.resolvers.engine_notifications.registration import register_webhooks
from gateway.settings import Settings
from tests.docs.pages import ROOT, Page
from tests.engines.certificates import Authority
from tests.engines.fake_bcb import FakeBcb, problem, throttled

GUIDE = Page(ROOT / "docs/connect-your-bank.md")
ROWS = re.findall(r"^\| `((?:FAIL|warn)  .+?)` \|", GUIDE.text, re.MULTILINE)
"""The lines of the doctor in the guide's tables; `…` stands for any text."""
_PATTERNS = [re.compile(".*".join(map(re.escape, row.split("…")))) for row in ROWS]
_SUBJECTS = ("configuration", "base URL", "tokens", "live engine")
TOKEN = "5a1f0c9b7e3d2846a0b1c2d3e4f50617"


class Walk:
    """The environment of the gateway, and the rows of the guide that the doctor has printed."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._folder = folder
        self._monkeypatch = monkeypatch
        self.seen: list[str] = []
        self._last = 0

    def set(self, **variables: object) -> None:
        for name, value in variables.items():
            self._monkeypatch.setenv(f"GATEWAY_{name.upper()}", str(value))

    def set_bank(self, **variables: object) -> None:
        self.set(**{f"bcb_live_{name}": value for name, value in variables.items()})

    async def doctor(self) -> list[str]:
        """Run the doctor. Each fault has a row; the first one is that of the last run, or a later one of the guide."""
        lines: list[str] = []
        healthy = await asyncio.to_thread(examine, self._folder, lines.append)
        ours = [line for line in lines if line[6:].startswith(_SUBJECTS)]
        faults = [line for line in ours if not line.startswith("ok")]
        rows = [self._row(line) for line in faults]
        self.seen += [ROWS[row] for row in rows]
        if rows:
            assert rows[0] >= self._last, ROWS[rows[0]]
            self._last = rows[0]
        assert healthy is not any(line.startswith("FAIL") for line in faults), lines
        return ours

    async def register(self) -> None:
        await asyncio.to_thread(run, self._folder, lambda ctx: register_webhooks(ctx, Environment.live))

    @staticmethod
    def _row(line: str) -> int:
        found = [number for number, pattern in enumerate(_PATTERNS) if pattern.fullmatch(line)]
        assert found, f"the guide lacks: {line}"
        return found[0]


@pytest.fixture
def walk(settings: Settings, database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Walk:
    monkeypatch.chdir(tmp_path)
    found = Walk(tmp_path, monkeypatch)
    found.set(
        database_url=settings.database_url,
        redis_url=settings.redis_url,
        secret_key="pS9vT2xWq8LmZr4NcYb6KdHf1JgUa7Ee",
        documents_url=(tmp_path / "documents").as_uri(),
        base_url="http://pix.example.com",
    )
    return found


async def test_the_doctor_leads_to_a_connected_bank(walk: Walk, fake_bank: FakeBcb, tmp_path: Path) -> None:
    await _configure(walk, fake_bank, tmp_path)
    await _connect(walk, fake_bank, tmp_path)
    await walk.doctor()
    walk.set(base_url="http://pix.example.com")
    with pytest.raises(ConsoleError, match=r"bcb didn't register the notifications: .* GATEWAY_BASE_URL must be https"):
        await walk.register()
    walk.set(base_url="https://pix.example.com")
    await walk.register()
    fake_bank.plan("GET /webhook/{id}", problem("AcessoNegado", 403))
    await walk.doctor()
    (printed,) = [block for block in GUIDE.blocks("text") if "accepts the client" in block]
    assert [_shape(line) for line in await walk.doctor() if "live engine" in line] == [
        _shape(line) for line in printed.splitlines()
    ]
    assert set(walk.seen) == set(ROWS), "each row of the guide is a real one"


async def _configure(walk: Walk, fake_bank: FakeBcb, folder: Path) -> None:
    """Steps 1 to 3: the settings and the certificate."""
    authority, own = fake_bank.authority, fake_bank.authority.client()
    await walk.doctor()
    walk.set(base_url="https://pix.example.com")
    await walk.doctor()
    walk.set(engine_live="bcb")
    await walk.doctor()
    walk.set_bank(bank="inter")
    await walk.doctor()
    walk.set_bank(client_id=fake_bank.bank.client_id, client_secret="outro", pix_key=fake_bank.bank.key)
    walk.set_bank(certificate=folder / "client.pem")
    walk.set(engine_live_token="curto")
    await walk.doctor()
    walk.set(engine_live_token=TOKEN)
    walk.set_bank(bank="generico")
    await walk.doctor()
    walk.set_bank(bank="inter", url="https://cdpj-sandbox.partners.uatinter.co/pix/v2")
    await walk.doctor()
    walk.set_bank(url=fake_bank.url, token_url=fake_bank.token_url)
    files: dict[str, tuple[bytes, bytes]] = {
        "missing": (b"", b""),
        "p12": (own.p12("segredo"), b""),
        "no key": (own.pem, b""),
        "encrypted": (own.pem, own.encrypted_key_pem("segredo")),
        "another key": (own.pem, authority.client().key_pem),
    }
    for name, (certificate, key) in files.items():
        if certificate:
            (folder / name).write_bytes(certificate)
        (folder / f"{name}.key").write_bytes(key)
        walk.set_bank(certificate=folder / name, certificate_key=folder / f"{name}.key" if key else "")
        await walk.doctor()
    expired = authority.client(valid=timedelta(days=-3)).write(folder / "expired.pem")
    walk.set_bank(certificate=expired, certificate_key="")
    await walk.doctor()


async def _connect(walk: Walk, fake_bank: FakeBcb, folder: Path) -> None:
    """Step 4: the connection to the bank."""
    manners = fake_bank.bank.manners
    walk.set_bank(certificate=Authority().client().write(folder / "foreign.pem"))
    await walk.doctor()
    walk.set_bank(ca=folder / "ca.pem", token_url="https://127.0.0.1:1/oauth/token")
    await walk.doctor()
    walk.set_bank(token_url=fake_bank.token_url)
    await walk.doctor()
    walk.set_bank(certificate=folder / "client.pem")
    await walk.doctor()
    walk.set_bank(client_secret=fake_bank.bank.client_secret)
    manners.scopes = SCOPES.replace("pix.write ", "")
    await walk.doctor()
    manners.scopes = SCOPES
    fake_bank.clock_offset = timedelta(minutes=-5)
    await walk.doctor()
    fake_bank.clock_offset = timedelta()
    walk.set_bank(url=fake_bank.url.replace("/pix/v2", "/outra"))
    await walk.doctor()
    walk.set_bank(url=fake_bank.url)
    fake_bank.plan("GET /pix", problem("AcessoNegado", 403))
    await walk.doctor()
    fake_bank.plan("GET /pix", throttled())
    await walk.doctor()
    soon = fake_bank.authority.client(valid=timedelta(days=20)).write(folder / "soon.pem")
    walk.set_bank(certificate=soon)
    await walk.doctor()
    walk.set_bank(certificate=folder / "client.pem")


def _shape(line: str) -> str:
    return re.sub(r"\d+", "0", line)


def test_the_guide_has_a_section_of_each_bank() -> None:
    named = re.findall(r"^`GATEWAY_BCB_LIVE_BANK=(\w+)`", GUIDE.text, re.MULTILINE)
    assert sorted(named) == sorted(Bank)
    assert set(named) == set(PROFILES)


def test_the_guides_settings_are_complete() -> None:
    """The example names all settings of a bank but those that have a default of their own."""
    (example,) = GUIDE.blocks("ini")
    named = set(re.findall(r"GATEWAY_BCB_LIVE_(\w+)=", example))
    with_default = {"SCOPES", "WEBHOOK_MTLS", "CALLS_PER_MINUTE"}
    assert named == {name.upper() for name in BankSettings.model_fields} - with_default
