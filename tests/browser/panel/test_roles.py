"""What each role finds on each page: a button only for what the gateway accepts from it."""

from collections.abc import AsyncIterator

import pytest
from msgspec.structs import replace
from playwright.async_api import Browser, Locator, Page, expect

from gateway.app import Gateway
from gateway.resolvers.core.actor import Role
from gateway.resolvers.core.context import Services
from gateway.schema.root_fields import operations_by_field
from gateway.schema.schema import SCHEMA
from gateway.settings import ReceivingMode
from tests.api.actors import set_status
from tests.api.test_roles import refusal
from tests.api_client import Api
from tests.browser.panel.pages import log_in, opening
from tests.browser.panel.store import furnish
from tests.browser.panel.test_pages import choose_store, person_of
from tests.resolvers.withdrawals.fixtures import open_account

FIELDS = operations_by_field(SCHEMA)
ACTS = {
    "/cobrancas": {"Nova cobrança": "issueCharge", "Exportar": "exportCharges"},
    "/cobrancas/$id": {"Cobrar de novo": "issueCharge", "Devolver": "createRefund"},
    "/cobrancas/nova": {"Gerar cobrança": "issueCharge"},
    "/cobrancas/$pending": {
        "Simular pagamento": "simulatePayment",
        "Enviar por e-mail": "sendCharge",
        "Encerrar": "expireCharge",
        "Duplicar": "issueCharge",
    },
    "/links": {"Novo link": "createPaymentLink", "Exportar": "exportPaymentLinks"},
    "/links/$id?editar=1": {"Salvar": "updatePaymentLink"},
    "/links/novo": {"Criar link": "createPaymentLink"},
    "/links/$id": {"Editar": "updatePaymentLink", "Desativar": "updatePaymentLink", "Excluir": "deletePaymentLink"},
    "/produtos": {"Novo produto": "createProduct", "Exportar": "exportProducts"},
    "/produtos/$id?editar=1": {"Salvar": "updateProduct"},
    "/produtos/novo": {"Cadastrar produto": "createProduct"},
    "/produtos/$id": {
        "Cobrar": "issueCharge",
        "Editar": "updateProduct",
        "Desativar": "updateProduct",
        "Excluir": "deleteProduct",
    },
    "/cupons": {"Novo cupom": "createCoupon", "Exportar": "exportCoupons"},
    "/cupons/$id?editar=1": {"Salvar": "updateCoupon"},
    "/cupons/novo": {"Criar cupom": "createCoupon"},
    "/cupons/$id": {"Editar": "updateCoupon", "Desativar": "updateCoupon", "Excluir": "deleteCoupon"},
    "/clientes": {"Novo cliente": "createCustomer", "Exportar": "exportCustomers"},
    "/clientes/$id?editar=1": {"Salvar": "updateCustomer"},
    "/clientes/novo": {"Cadastrar cliente": "createCustomer"},
    "/clientes/$id": {
        "Cobrar": "issueCharge",
        "Editar": "updateCustomer",
        "Excluir": "deleteCustomer",
    },
    "/assinaturas": {"Nova assinatura": "createSubscription", "Exportar": "exportSubscriptions"},
    "/assinaturas/$id?editar=1": {"Salvar": "updateSubscription"},
    "/assinaturas/nova": {"Criar assinatura": "createSubscription"},
    "/assinaturas/$id": {
        "Cobrar agora": "chargeSubscription",
        "Editar": "updateSubscription",
        "Pausar": "updateSubscription",
        "Cancelar assinatura": "updateSubscription",
        "Excluir": "deleteSubscription",
        "Avançar até a próxima": "advanceTestClock",
    },
    "/saldo": {"Sacar": "requestWithdrawal"},
    "/saldo/sacar": {"Conferir": "requestWithdrawal"},
    "/saldo/saques": {"Sacar": "requestWithdrawal"},
    "/saldo/devolucoes": {"Exportar": "exportRefunds"},
    "/dev/chaves": {"Nova chave": "createApiKey"},
    "/dev/chaves/nova": {"Criar chave": "createApiKey"},
    "/dev/chaves/$id": {"Renomear": "updateApiKey", "Desativar": "updateApiKey", "Revogar": "revokeApiKey"},
    "/dev/webhooks": {"Novo endpoint": "createWebhookEndpoint"},
    "/dev/webhooks/novo": {"Criar endpoint": "createWebhookEndpoint", "Abrir receptor de teste": "openTestReceiver"},
    "/dev/webhooks/$id": {
        "Enviar um teste": "tryWebhookEndpoint",
        "Alterar": "updateWebhookEndpoint",
        "Trocar o segredo": "rotateWebhookSecret",
        "Reenviar o que faltou": "replayWebhooks",
        "Excluir": "deleteWebhookEndpoint",
    },
    "/dev/webhooks/$id/entregas/$deliveryId": {"Reenviar": "redeliverWebhook"},
    "/dev/relogio": {"Avançar até lá": "advanceTestClock"},
    "/ajustes/recebimento": {"Simular": "simulateReceivingReview"},
    "/servico/lojistas": {"Exportar": "exportMerchants"},
    "/servico/lojistas/$id": {"Suspender": "suspendMerchant"},
}
"""The acts of each page by their words, and the field of GraphQL that each needs. Neighbours have different titles."""
SHOWN = "() => document.title !== '' && !document.querySelector('main')?.textContent.includes('Carregando…')"


@pytest.fixture
def services(services: Services) -> Services:
    return replace(
        services,
        settings=services.settings.model_copy(
            update={"receiving_mode": ReceivingMode.subconta, "receipts_for_test": True}
        ),
    )


@pytest.fixture
async def api(services: Services) -> AsyncIterator[Api]:
    async with Api.of(Gateway(services.settings, services)) as opened:
        yield opened


def test_the_table_names_fields_of_the_schema() -> None:
    assert {field for acts in ACTS.values() for field in acts.values()} <= FIELDS.keys()


ROLES = [pytest.param(role, marks=[] if role == Role.operator else pytest.mark.pages) for role in [*Role, "staff"]]
"""`make test` walks one role, `make pages` all of them."""


@pytest.mark.parametrize("role", ROLES)
async def test_a_denied_act_has_no_button(
    panel: str, browser: Browser, api: Api, services: Services, role: str
) -> None:
    owner = await api.register_merchant()
    await open_account(owner)
    ids = await furnish(owner, services)
    ids["/cobrancas"]["pending"] = (await owner.issue())["id"]
    if role == "staff":
        await set_status(services.database, owner, "approved")
    person = await person_of(role, owner, services)
    async with opening(browser) as visit:
        page = visit.page
        page.set_default_timeout(10_000)
        await log_in(visit, panel, person)
        if role not in {"owner", "staff"}:
            await choose_store(page, "desk", owner)
        for path, acts in ACTS.items():
            # Staff finds nothing of other stores outside of its own pages.
            if role == "staff" and not path.startswith("/servico"):
                continue
            await go(page, path, ids)
            for words, field in acts.items():
                if may(role, field):
                    await expect(act(page, words), f"{path}: {words}").to_be_visible()
                else:
                    await expect(act(page, words), f"{path}: {words}").to_have_count(0)


def may(role: str, field: str) -> bool:
    if role == "staff":
        return True
    return refusal(FIELDS[field], Role(role)) is None


def act(page: Page, words: str) -> Locator:
    main = page.locator("main#conteudo")
    return main.get_by_role("button", name=words, exact=True).or_(main.get_by_role("link", name=words, exact=True))


async def go(page: Page, path: str, ids: dict[str, dict[str, str]]) -> None:
    """Open a page as a link does, which keeps the session."""
    for name, value in ids.get(path.partition("/$")[0], {}).items():
        path = path.replace(f"${name}", value)
    await page.evaluate(
        """path => {
          document.title = ''
          history.pushState({}, '', path)
          dispatchEvent(new PopStateEvent('popstate'))
        }""",
        f"/painel{path}",
    )
    await page.wait_for_function(SHOWN)
