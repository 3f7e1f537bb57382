"""All commands of the guides run, with the quick start's variables and curl failing on errors."""

import json
from pathlib import Path
from urllib.request import Request, urlopen

import pytest

from tests.docs.pages import ROOT, Page, pages
from tests.ports import free_port
from tests.quickstart.conftest import NOTIFICATIONS_TOKEN, PROGRAMS
from tests.quickstart.terminal import Terminal

GUIDES = [page for page in pages() if page.name.startswith("docs/") and page.blocks("sh")]


def post(url: str, body: dict[str, object], token: str | None = None) -> dict[str, str]:
    headers = {"content-type": "application/json"} | ({"authorization": f"Bearer {token}"} if token else {})
    with urlopen(Request(url, json.dumps(body).encode(), headers)) as answer:  # noqa: S310  # The gateway of this test.
        result: dict[str, str] = json.load(answer)["data"]
        return result


@pytest.fixture
def variables(gateway: str, request: pytest.FixtureRequest) -> dict[str, str]:
    """Return the quick start's variables (session, key, charge) and the token of the engine's notifications."""
    account = {"name": "Ana", "email": f"ana.{abs(hash(request.node.name))}@example.com", "cnpj": "11.222.333/0001-81"}
    token = post(f"{gateway}/auth/register", account | {"password": "uma senha bem comprida"})["accessToken"]
    key = post(f"{gateway}/api-keys", {"name": "guia", "environment": "test"}, token)["key"]
    payer = {"customer_name": "João", "customer_email": "joao@example.com", "customer_cpf": "529.982.247-25"}
    charge = post(f"{gateway}/pix", {"amount": 10, "description": "Guia"} | payer, key)["id"]
    shell = {"GATEWAY": gateway, "TOKEN": token, "KEY": key, "CHARGE": charge}
    return shell | {"GATEWAY_ENGINE_TEST_TOKEN": NOTIFICATIONS_TOKEN}


@pytest.mark.timeout(300)  # The first test waits for the gateway's start.
@pytest.mark.parametrize("page", GUIDES, ids=lambda page: page.name)
def test_the_commands_of_a_guide_run(page: Page, variables: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / ".curlrc").write_text("fail-with-body\n")
    with Terminal(tmp_path, **variables, PATH=f"{PROGRAMS}:/usr/local/bin:/usr/bin:/bin") as terminal:
        for block in page.blocks("sh"):
            assert terminal.paste(block).strip()
        terminal.close()


@pytest.mark.timeout(300)
def test_the_guide_of_the_test_environment_works_as_written(gateway: str, tmp_path: Path) -> None:
    first, *steps = Page(ROOT / "scripts/reference_page/guide.md").blocks("sh")
    address = "export URL=http://127.0.0.1:8000 PORTA=8200\n"
    assert first.startswith(address)
    (tmp_path / ".curlrc").write_text("fail-with-body\n")
    path = f"{PROGRAMS}:/usr/local/bin:/usr/bin:/bin"
    with Terminal(tmp_path, PATH=path, GATEWAY_ENGINE_TEST_TOKEN=NOTIFICATIONS_TOKEN) as terminal:
        terminal.paste(first.replace(address, f"export URL={gateway} PORTA={free_port()}\n"))
        printed = [terminal.paste(step) for step in steps]

        assert ["\npaid\n" in f"\n{text}" for text in printed] == [False, True, False, True], terminal.text
        assert terminal.shows(r"charge\.paid  .*signature ✓"), terminal.text
        terminal.paste("kill $!")
        terminal.close()


@pytest.mark.timeout(300)
def test_the_listener_registers_its_address_once(variables: dict[str, str], tmp_path: Path) -> None:
    register = 'gateway listen --port "$LISTEN" --register "$TOKEN" --api "$GATEWAY" &'
    environment = variables | {"LISTEN": str(free_port()), "PATH": f"{PROGRAMS}:/usr/local/bin:/usr/bin:/bin"}
    with Terminal(tmp_path, **environment) as terminal:
        terminal.paste(register)
        assert terminal.shows(r"registered as endpoint \S+ until Ctrl-C"), terminal.text
        terminal.paste("kill $!; wait $! || true")
        url = f"http://127.0.0.1:{environment['LISTEN']}/"
        endpoint = {"name": "meu", "url": url}
        post(f"{variables['GATEWAY']}/webhook-endpoints", endpoint, variables["TOKEN"])
        terminal.paste(register)
        assert terminal.shows(r"already registered as endpoint"), terminal.text
        terminal.paste("kill $!")
        terminal.close()
