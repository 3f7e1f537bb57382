"""Request bodies with several modes: the fields that each mode requires, and those it excludes."""

from msgspec import Struct

from gateway.resolvers.charges.inputs import IssueCharge, RegisterCharge, WhichCharge
from gateway.resolvers.core.inputs import Input
from gateway.resolvers.refunds.types import CreateRefund
from gateway.resolvers.subscriptions.types import CreateSubscription
from gateway.rest_compat.openapi.schemas import FILLED_LINE, LINE, Schema, Schemas

_INLINE_PAYER = ("customer_name", "customer_email", "customer_cpf")
_PRODUCT_MODE = ("novo_cliente", "coupon_code")


class Mode(Struct, frozen=True):
    """One mode of an input. `absent` fields must be missing, null or empty; `ignored` ones may have any value."""

    name: str
    description: str
    required: tuple[str, ...]
    absent: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()


MODES: dict[type[Input], tuple[Mode, ...]] = {
    IssueCharge: (
        Mode(
            "ManualCharge",
            "Modo manual: valor, descrição e um pagador informado aqui.",
            ("amount", "description", *_INLINE_PAYER),
            absent=("product_id", "customer_id"),
            ignored=_PRODUCT_MODE,
        ),
        Mode(
            "ManualChargeToCustomer",
            "Modo manual, com um cliente cadastrado; os dados enviados aqui valem no lugar dos dele.",
            ("amount", "description", "customer_id"),
            absent=("product_id",),
            ignored=_PRODUCT_MODE,
        ),
        Mode(
            "ProductCharge",
            "Modo produto: o preço é o do produto, e o pagador é informado aqui.",
            ("product_id", *_INLINE_PAYER),
            absent=("customer_id",),
            ignored=("amount",),
        ),
        Mode(
            "ProductChargeToCustomer",
            "Modo produto, com um cliente cadastrado; os dados enviados aqui valem no lugar dos dele.",
            ("product_id", "customer_id"),
            ignored=("amount",),
        ),
    ),
    RegisterCharge: (
        Mode(
            "RegisteredCharge",
            "Um pagador informado aqui.",
            ("amount", "description", *_INLINE_PAYER),
            absent=("customer_id",),
            ignored=("product_id", *_PRODUCT_MODE),
        ),
        Mode(
            "RegisteredChargeToCustomer",
            "Um cliente cadastrado; os dados enviados aqui valem no lugar dos dele.",
            ("amount", "description", "customer_id"),
            ignored=("product_id", *_PRODUCT_MODE),
        ),
    ),
    CreateSubscription: (
        Mode("NewSubscription", "Um pagador informado aqui.", ("amount", "customer_name"), absent=("customer_id",)),
        Mode(
            "NewSubscriptionOfCustomer",
            "Um cliente cadastrado; os dados enviados aqui valem no lugar dos dele.",
            ("amount", "customer_id"),
        ),
    ),
    CreateRefund: (
        Mode("RefundOfCharge", "De uma cobrança pelo id.", ("charge_id",)),
        Mode("RefundOfTxid", "De uma cobrança pelo txid.", ("txid",), absent=("charge_id",)),
    ),
    WhichCharge: (
        Mode("ChargeById", "Pelo id.", ("id",)),
        Mode("ChargeByTxid", "Pelo txid.", ("txid",), absent=("id",)),
    ),
}


def schema_of_body(schemas: Schemas, model: type[Input]) -> Schema:
    """The schema of an input as a body: `oneOf` its modes, or itself."""
    modes = MODES.get(model)
    if modes is None:
        return schemas.reference(model, "validation")
    whole = schemas.of(model, "validation")
    return {"oneOf": [schemas.add(mode.name, _of_mode(mode, whole)) for mode in modes]}


def _of_mode(mode: Mode, whole: Schema) -> Schema:
    properties = {name: part for name, part in whole["properties"].items() if name not in mode.ignored}
    for name in mode.required:
        properties[name] = _not_null(properties[name])
    for name in mode.absent:
        properties[name] = {"type": ["string", "null"], "maxLength": 0, "description": "Não neste modo."}
    return {
        "type": "object",
        "description": mode.description,
        "required": list(mode.required),
        "properties": properties,
    }


def _not_null(part: Schema) -> Schema:
    """A field that this mode requires, and others don't."""
    if isinstance(part.get("type"), list):
        part = {**part, "type": next(kind for kind in part["type"] if kind != "null")}
    if part.get("pattern") == LINE:
        part = {**part, "pattern": FILLED_LINE}
    return {"minLength": 1, **part} if part.get("type") == "string" else part
