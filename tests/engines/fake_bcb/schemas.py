"""JSON schemas of the Central Bank's Pix API, for the parts that the fake bank serves.

Written from the API's field tables. `test_bcb_schemas.py` compares them with the official document where it is present.
"""

from typing import Any

Schema = dict[str, Any]


def _text(max_length: int) -> Schema:
    return {"type": "string", "maxLength": max_length}


def _pattern(pattern: str) -> Schema:
    return {"type": "string", "pattern": f"^{pattern}$"}


def _enum(*values: str) -> Schema:
    return {"type": "string", "enum": list(values)}


def _list(items: Schema, **rules: Any) -> Schema:
    return {"type": "array", "items": items, **rules}


def _object(required: str, **properties: Schema) -> Schema:
    return {"type": "object", "required": required.split(), "properties": properties}


MONEY = _pattern(r"\d{1,10}\.\d{2}")
TIME = {"type": "string", "format": "date-time"}
URI = {"type": "string", "format": "uri"}
INTEGER = {"type": "integer"}
CPF, CNPJ = _pattern(r"\d{11}"), _pattern("[0-9A-Z]{14}")
TXID = _pattern("[a-zA-Z0-9]{26,35}")
ANY_TXID = _pattern("[a-zA-Z0-9]{1,35}")
END_TO_END_ID = _pattern("[a-zA-Z0-9]{32}")
PIX_KEY = _text(77)
LOCATION = _text(77)

DEBTOR = {"oneOf": [_object("cpf nome", cpf=CPF, nome=_text(200)), _object("cnpj nome", cnpj=CNPJ, nome=_text(200))]}
EXTRAS = _list(_object("nome valor", nome=_text(50), valor=_text(200)), maxItems=50)
_expiry = _object("", expiracao={"type": "integer", "minimum": 1})
_amount = _object("original", original=MONEY)

COB_BODY = _object(
    "calendario valor chave",
    calendario=_expiry,
    devedor=DEBTOR,
    valor=_amount,
    chave=PIX_KEY,
    solicitacaoPagador=_text(140),
    infoAdicionais=EXTRAS,
)
COB_REVISION = _object(
    "",
    calendario=_expiry,
    devedor=DEBTOR,
    status=_enum("REMOVIDA_PELO_USUARIO_RECEBEDOR"),
    valor=_object("", original=MONEY),
    chave=PIX_KEY,
    solicitacaoPagador=_text(140),
    infoAdicionais=EXTRAS,
)
LOC = _object("id location tipoCob criacao", id=INTEGER, location=LOCATION, tipoCob=_enum("cob", "cobv"), criacao=TIME)
_cob = {
    "calendario": _object("criacao expiracao", criacao=TIME, expiracao={"type": "integer", "minimum": 1}),
    "txid": TXID,
    "revisao": INTEGER,
    "devedor": DEBTOR,
    "loc": LOC,
    "location": LOCATION,
    "status": _enum("ATIVA", "CONCLUIDA", "REMOVIDA_PELO_USUARIO_RECEBEDOR", "REMOVIDA_PELO_PSP"),
    "valor": _amount,
    "pixCopiaECola": _text(512),
    "chave": PIX_KEY,
    "solicitacaoPagador": _text(140),
    "infoAdicionais": EXTRAS,
}
COB_CREATED = _object("calendario txid revisao status valor chave", **_cob)
REFUND = _object(
    "id rtrId valor horario status",
    id=ANY_TXID,
    rtrId=END_TO_END_ID,
    valor=MONEY,
    natureza=_enum("ORIGINAL", "RETIRADA", "MED_OPERACIONAL", "MED_FRAUDE", "MED_PIX_AUTOMATICO"),
    descricao=_text(140),
    horario=_object("", solicitacao=TIME, liquidacao=TIME),
    status=_enum("EM_PROCESSAMENTO", "DEVOLVIDO", "NAO_REALIZADO"),
    motivo=_text(140),
)
PIX = _object(
    "endToEndId valor horario",
    endToEndId=END_TO_END_ID,
    txid=ANY_TXID,
    valor=MONEY,
    chave=PIX_KEY,
    horario=TIME,
    infoPagador=_text(140),
    devolucoes=_list(REFUND),
)
COB = _object("calendario txid revisao status valor chave", **_cob, pix=_list(PIX))
PAGE = _object(
    "paginaAtual itensPorPagina quantidadeDePaginas quantidadeTotalDeItens",
    paginaAtual={"type": "integer", "minimum": 0},
    itensPorPagina={"type": "integer", "minimum": 1},
    quantidadeDePaginas={"type": "integer", "minimum": 1},
    quantidadeTotalDeItens={"type": "integer", "minimum": 0},
)
COB_LIST = _object(
    "parametros cobs",
    parametros=_object("inicio fim paginacao", inicio=TIME, fim=TIME, paginacao=PAGE),
    cobs=_list(COB),
)
PIX_LIST = _object(
    "parametros",
    parametros=_object(
        "inicio fim paginacao",
        inicio=TIME,
        fim=TIME,
        txid=ANY_TXID,
        txIdPresente={"type": "boolean"},
        devolucaoPresente={"type": "boolean"},
        paginacao=PAGE,
    ),
    pix=_list(PIX),
)
REFUND_BODY = _object("valor", valor=MONEY, natureza=_enum("ORIGINAL", "RETIRADA"), descricao=_text(140))
WEBHOOK_BODY = _object("webhookUrl", webhookUrl=URI)
WEBHOOK = _object("webhookUrl criacao", webhookUrl=URI, chave=PIX_KEY, criacao=TIME)
CALLBACK = _object("", pix=_list(PIX))
PROBLEM = _object(
    "type title status",
    type=URI,
    title={"type": "string"},
    status=INTEGER,
    detail={"type": "string"},
    correlationId={"type": "string"},
    violacoes=_list(_object("", razao={"type": "string"}, propriedade={"type": "string"}, valor={"type": "string"})),
)
TOKEN = _object(
    "access_token token_type expires_in",
    access_token={"type": "string", "minLength": 1},
    token_type={"type": "string"},
    expires_in=INTEGER,
    scope={"type": "string"},
)

OFFICIAL = {
    "CobBody": COB_BODY,
    "CobBodyRevisada": COB_REVISION,
    "CobGerada": COB_CREATED,
    "CobCompleta": COB,
    "CobsConsultadas": COB_LIST,
    "Pix": PIX,
    "PixConsultados": PIX_LIST,
    "DevolucaoBody": REFUND_BODY,
    "Devolucao": REFUND,
    "WebhookConfigBody": WEBHOOK_BODY,
    "WebhookCompleto": WEBHOOK,
    "WebhookPixBody": CALLBACK,
    "Problema": PROBLEM,
}
"""By the name of the official schema."""
