"""`GET /service`: what everybody may know about this deployment, so that no client has to guess it from errors."""

from pydantic import Field

from gateway import __version__
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.inputs import Empty
from gateway.resolvers.core.operation import operation
from gateway.resolvers.core.views import View
from gateway.resolvers.receiving.account_for_charge import fixed_fee
from gateway.settings import ReceivingMode
from gateway.values.money import MINIMUM_CHARGE, Centavos


class DemoLoginView(View):
    """O acesso à loja de demonstração.

    It exists in `gateway dev` only.
    """

    email: str = Field(description="E-mail de acesso.")
    password: str = Field(description="Senha.")


class ServiceView(View):
    """O que qualquer um pode saber sobre este serviço."""

    name: str = Field(description="Nome do serviço, como aparece nos e-mails.")
    version: str = Field(description="Versão da interface.")
    receiving_mode: ReceivingMode = Field(description="Em que conta as cobranças caem.")
    minimum_amount: Centavos = Field(description="Menor valor de uma cobrança.")
    fee_percent: float = Field(description="Taxa do serviço por cobrança paga, em por cento do valor.")
    fee_fixed: Centavos = Field(description="Taxa fixa do serviço por cobrança paga.")
    session_hours: float = Field(description="Por quantas horas vale um token de sessão.")
    external_login: bool = Field(description="Se é possível entrar com uma conta do Google.")
    documents: bool = Field(description="Se o serviço guarda documentos, que o pedido de liberação exige.")
    staff_requires_two_factor: bool = Field(
        description="Se a equipe do serviço só trabalha com a verificação em duas etapas."
    )
    development_mode: bool = Field(description="Se é um `gateway dev`, na máquina de quem desenvolve.")
    checkout_url: str = Field(description="Endereço das páginas de pagamento.")
    terms_url: str | None = Field(description="Endereço dos termos de produção, se houver.")
    demo: DemoLoginView | None = Field(
        description="O acesso à loja de demonstração de um `gateway dev`; nulo em qualquer outro serviço."
    )


@operation("service.read", Permission.public)
async def read_service(ctx: Context, _: Empty) -> ServiceView:
    """Read the public facts about the service."""
    settings, development = ctx.settings, ctx.services.development
    demo = None if development is None else await development.demo_login(ctx.origin.host)
    return ServiceView.of(
        {
            "name": settings.mail_sender.display_name,
            "version": __version__,
            "receiving_mode": settings.receiving_mode,
            "minimum_amount": MINIMUM_CHARGE,
            "fee_percent": float(settings.service_fee_percent),
            "fee_fixed": fixed_fee(settings),
            "session_hours": settings.session_hours,
            "external_login": settings.appwrite_endpoint is not None,
            "documents": settings.documents_url is not None,
            "staff_requires_two_factor": settings.staff_requires_2fa,
            "development_mode": development is not None,
            "checkout_url": settings.public_checkout_url,
            "terms_url": settings.terms_url,
            "demo": None if demo is None else DemoLoginView.of({"email": demo.email, "password": demo.password}),
        }
    )
