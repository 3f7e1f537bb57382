"""Parts of the document that no operation declares: introduction, tags, error schemas, shared parameters."""

from typing import Any

from gateway.errors import CODIGOS
from gateway.resolvers.core.listing.exports import ExportFormat
from gateway.rest_compat.csv_stream import FORMAT_PARAMETER
from gateway.values.clock import SAO_PAULO
from gateway.values.dates import zone_names

_CREDENTIAL = """\
Envie `Authorization: Bearer <credencial>` em toda rota protegida.

| Credencial | Começa com | Uso | Validade |
|---|---|---|---|
| Chave de API | `service_test_` ou `service_live_` | integrações | até ser revogada |
| Sessão (JWT) | `eyJ` | painel; criar chaves e webhooks | 1 hora, renovável |

O ambiente (`test` ou `live`) é o da credencial. No de teste nenhum dinheiro se move."""

INTRODUCTION = f"""\
Toda resposta de sucesso traz o resultado em `data`. Valores são números em **reais**, com até duas casas decimais; datas \
são ISO 8601: com hora e sem fuso horário valem UTC, e uma data sem hora é um dia de São Paulo, como fim o dia inteiro e como início \
o seu primeiro instante. Chaves desconhecidas no corpo são ignoradas; parâmetros desconhecidos no endereço são um 400. Os mesmos recursos existem em \
[GraphQL](/graphql), e o [guia do ambiente de teste](/docs/ambiente-de-teste) mostra o circuito inteiro.

## Autenticação

{_CREDENTIAL}

## Repetir sem duplicar

Envie `Idempotency-Key` em toda criação. A mesma chave com o mesmo corpo devolve a mesma resposta por 24 horas, com \
`Idempotent-Replayed: true`; com outro corpo é 409 `IDEMPOTENCIA_CONFLITO`.

## Erros

Erros de negócio e de validação são `{{"error": {{"message", "codigo"?, …}}}}`; os de autenticação, e só eles, \
`{{"error": "texto"}}`. Um 400 lista cada campo em `error.campos`. Toda resposta traz `X-Request-Id`, que num 500 é também \
`error.id`.

## Listas

Com `page` ou `limit` a resposta traz `pagination`, com o total; sem nenhum dos dois vem tudo, até 5000 registros. Quem lê uma lista
longa até o fim envia `after`: vazio na primeira requisição e, nas seguintes, o `pagination.next_cursor` da anterior, enquanto
`has_more`. Nada se repete nem se perde se a lista cresce no meio, e nada é contado.

O total do que uma busca ou vários filtros juntos encontram é contado até um limite. Se há mais, `pagination.total_capped` é `true`, \
e `total` e `total_pages` são o mínimo; `total=exact` conta até o fim, por mais que demore."""

SECURITY: dict[str, Any] = {
    "bearer": {"type": "http", "scheme": "bearer", "bearerFormat": "JWT", "description": _CREDENTIAL}
}
# Client generators map `Etc/GMT+1` and `Etc/GMT-1` to one name, and fail. The API accepts them.
_ZONES = sorted(name for name in zone_names() if "GMT+" not in name and "GMT-" not in name)
PARAMETERS: dict[str, Any] = {
    "IdempotencyKey": {
        "name": "Idempotency-Key",
        "in": "header",
        "description": "De 1 a 255 caracteres ASCII visíveis. Repetir a requisição com a mesma chave não cria de novo.",
        "schema": {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$"},
    },
    "Formato": {
        "name": FORMAT_PARAMETER,
        "in": "query",
        "description": "`csv` (padrão) para programas; `excel` para abrir no Excel em português: ponto e vírgula, vírgula decimal e "
        "horários locais.",
        "schema": {"type": "string", "enum": [each.value for each in ExportFormat], "default": ExportFormat.csv.value},
    },
    "TimeZone": {
        "name": "tz",
        "in": "query",
        "description": "Fuso horário (IANA) das datas sem hora e dos horários do CSV. Padrão: America/Sao_Paulo.",
        "schema": {"type": "string", "enum": _ZONES, "default": SAO_PAULO.key},
    },
    "Store": {
        "name": "x-store",
        "in": "header",
        "description": "Loja compartilhada em que a sessão atua: o id do titular. Chaves de API o ignoram.",
        "schema": {"type": "string", "format": "uuid"},
    },
}
HEADERS: dict[str, Any] = {
    "Location": {
        "description": "Caminho em que o que foi criado pode ser lido.",
        "schema": {"type": "string", "format": "uri-reference"},
    },
    "Idempotent-Replayed": {
        "description": "`true` quando a resposta é a que foi guardada.",
        "schema": {"type": "boolean"},
    },
    "Retry-After": {"description": "Segundos até poder tentar de novo.", "schema": {"type": "integer"}},
    "RateLimit-Limit": {"description": "Tentativas por janela.", "schema": {"type": "integer"}},
    "RateLimit-Remaining": {"description": "Tentativas que restam.", "schema": {"type": "integer"}},
    "RateLimit-Reset": {"description": "Segundos até a janela recomeçar.", "schema": {"type": "integer"}},
}

_ERROR: dict[str, Any] = {
    "message": {"type": "string", "description": "O que houve, em português, para uma pessoa."},
    "codigo": {"$ref": "#/components/schemas/ErrorCode"},
    "campos": {
        "type": "array",
        "description": "Num 400, cada campo recusado; com `SKU_DUPLICADO`, o `sku`.",
        "items": {
            "type": "object",
            "required": ["campo", "mensagem"],
            "properties": {"campo": {"type": "string"}, "mensagem": {"type": "string"}},
        },
    },
    "id": {
        "type": "string",
        "description": "Código de correlação, num 500; ou o registro com que a requisição conflita.",
    },
    "valor_minimo": {"type": "number", "description": "Com `VALOR_MINIMO`."},
    "producao": {
        "type": "object",
        "description": "Com `PRODUCAO_NAO_LIBERADA`, ou num pedido de liberação incompleto: a situação da liberação.",
    },
    "aprovacao": {"type": "object", "description": "Com `SUBCONTA_…`: a situação da conta de recebimento."},
    "referencias": {"type": "integer", "description": "Com `MUITAS_REFERENCIAS`: quantas há."},
    "limite": {"type": "integer", "description": "Com `MUITAS_REFERENCIAS`: quantas pode haver."},
    "disponivel": {"type": "number", "description": "Com `SALDO_INSUFICIENTE`: quanto há, em reais."},
    "escopo": {"type": ["string", "null"], "description": "Com `ESCOPO_INSUFICIENTE`: o que falta à chave de API."},
    "desafio": {
        "type": "string",
        "description": "Com `SEGUNDO_FATOR_EXIGIDO`: vai com o código a `POST /auth/login/code`.",
    },
    "expira_em": {
        "type": "string",
        "format": "date-time",
        "description": "Com `SEGUNDO_FATOR_EXIGIDO`: até quando o desafio vale.",
    },
    "reservado_ate": {
        "type": "string",
        "format": "date-time",
        "description": "Com `CUPOM_ESGOTADO` e `LINK_ENCERRADO`: quando um uso reservado por uma cobrança pendente fica livre.",
    },
    "checks": {"type": "object", "description": "Num 503 de `/health`: o que se viu de cada parte."},
}
COMPONENT_SCHEMAS: dict[str, Any] = {
    "ErrorCode": {
        "type": "string",
        "description": "O que houve, para um programa. Novos códigos podem surgir: trate os que não conhece pelo status.",
        "enum": sorted(CODIGOS),
    },
    "ApiError": {
        "type": "object",
        "required": ["error"],
        "properties": {"error": {"type": "object", "required": ["message"], "properties": _ERROR}},
    },
    "AuthenticationError": {
        "type": "object",
        "required": ["error"],
        "properties": {"error": {"type": "string", "description": "O que houve com a credencial."}},
    },
    "Pagination": {
        "type": "object",
        "properties": {
            "page": {"type": "integer", "description": "Esta página; não com `after`."},
            "limit": {"type": "integer", "description": "Itens por página."},
            "total": {
                "type": "integer",
                "description": "Itens ao todo, ou o mínimo, com `total_capped`; não com `after`.",
            },
            "total_pages": {"type": "integer", "description": "Páginas desse total; não com `after`."},
            "total_capped": {
                "type": "boolean",
                "description": "Vem, como `true`, quando há mais itens do que os contados; `total=exact` conta todos.",
            },
            "has_more": {"type": "boolean", "description": "Se há página seguinte."},
            "next_cursor": {
                "type": ["string", "null"],
                "description": "Com `after`: cursor do último item, nulo se não veio nenhum. Vai em `after` da requisição seguinte.",
            },
            "truncated": {"type": "boolean", "description": "Se a lista sem página passou de 5000 e foi cortada."},
        },
    },
}


TAGS = {
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
    "refunds": ("Devoluções", "O valor de uma cobrança paga, de volta ao pagador."),
    "withdrawals": ("Saques", "Transferências do saldo da loja para uma chave Pix."),
    "pix_keys": ("Chaves Pix", "As chaves que a loja guarda para os saques."),
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
    "service": ("Serviço", "O que qualquer um pode saber sobre ele."),
    "health": ("Sistema", "Saúde do serviço."),
}


EVENTS_TAG = "events"
_EVENTS = {"name": EVENTS_TAG, "x-displayName": "Eventos", "description": "O que os webhooks recebem."}


def tag_of(operation_name: str) -> str:
    """The tag of an operation `module.name`, in ASCII, for generators make names of it."""
    return operation_name.partition(".")[0].replace("_", "-")


def tags(used: set[str]) -> list[dict[str, Any]]:
    """The tags in use; undescribed ones come last."""
    known = [
        {"name": tag_of(module), "x-displayName": title, "description": text}
        for module, (title, text) in TAGS.items()
        if tag_of(module) in used
    ]
    unknown = sorted(used - {tag["name"] for tag in known})
    return [*known, _EVENTS, *({"name": name} for name in unknown)]
