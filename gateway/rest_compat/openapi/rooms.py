"""The groups of the reference, in the specification's order: one for each room of `gateway.resolvers`."""

from typing import Any

ROOMS = {
    "accounts": ("Conta e sessão", "Cadastro, login, perfil e ambiente."),
    "two_factor": (
        "Verificação em duas etapas",
        "Um código do aplicativo autenticador além da senha, opcional para cada conta.",
    ),
    "sessions": ("Sessões", "Onde a conta está aberta, e como encerrar."),
    "onboarding": ("Primeiro acesso", "O assistente do primeiro acesso ao painel."),
    "api_keys": ("Chaves de API", "Credenciais de integrações. Uma chave pertence para sempre a um ambiente."),
    "receiving": ("Conta de recebimento", "Dados da empresa e sua aprovação."),
    "charges": (
        "Cobranças Pix",
        "Emita, mostre o QR Code e acompanhe. Uma cobrança nasce `pending` e vira `paid` **uma única vez**.",
    ),
    "customers": ("Clientes", "Pagadores cadastrados para cobrar de novo."),
    "subscriptions": ("Assinaturas", "Cobranças recorrentes."),
    "webhooks": ("Webhooks", "Endereços que recebem os eventos, suas entregas e seus segredos."),
    "payment_links": ("Links de pagamento", "Páginas públicas de pagamento."),
    "checkout": ("Página de pagamento", "O que a página pública usa. Não pede credencial."),
    "coupons": ("Cupons", "Descontos."),
    "products": ("Produtos", "O catálogo da loja."),
    "withdrawals": ("Saques", "Transferências do saldo da loja para uma chave Pix."),
    "members": ("Equipe da loja", "Convites e papéis."),
    "audit": ("Auditoria", "Quem fez o quê, quando e de onde."),
    "roadmap": ("Roadmap", "O quadro de próximos passos."),
    "clocks": (
        "Relógio de teste",
        "Avance o tempo da sua loja, só no ambiente de teste, e veja o que vence acontecer.",
    ),
    "production": ("Liberação para produção", "Documentos e aprovação."),
    "repayments": (
        "Repasses manuais",
        "O que a equipe do serviço repassa às lojas na conta única, e o que a loja vê disso.",
    ),
    "staff": ("Equipe do serviço", "Análise de lojistas."),
    "engine_notifications": ("Provedor de pagamentos", "Avisos que o provedor envia."),
    "health": ("Sistema", "Saúde do serviço."),
}


EVENTS_TAG = "events"
_EVENTS = {"name": EVENTS_TAG, "x-displayName": "Eventos", "description": "O que os webhooks recebem."}


def tag_of(operation_name: str) -> str:
    """The group of an operation `room.verb`, in ASCII, as generators make names of it."""
    return operation_name.partition(".")[0].replace("_", "-")


def tags(used: set[str]) -> list[dict[str, Any]]:
    """The groups that have something in them; one that no row above describes comes last."""
    known = [
        {"name": tag_of(room), "x-displayName": title, "description": text}
        for room, (title, text) in ROOMS.items()
        if tag_of(room) in used
    ]
    unknown = sorted(used - {tag["name"] for tag in known})
    return [*known, _EVENTS, *({"name": name} for name in unknown)]
