"""Who is asked to pay: a saved customer is the base, and inline fields are laid over it for this charge only."""

from sqlalchemy import bindparam, select

from gateway.engines.port import Payer
from gateway.errors import InvalidInput, NotFound
from gateway.models.customers import customers
from gateway.models.database import Statement
from gateway.resolvers.charges.inputs import PayerFields
from gateway.resolvers.context import Context
from gateway.resolvers.inputs import missing_fields

_K = customers
SAVED = Statement(
    select(_K.c.name, _K.c.email, _K.c.cpf, _K.c.phone).where(
        _K.c.user_id == bindparam("user_id"), _K.c.environment == bindparam("environment"), _K.c.id == bindparam("id")
    )
)


async def payer_of(ctx: Context, fields: PayerFields) -> Payer:
    """The payer of a charge. An unknown customer is `NotFound`; a payer that stays incomplete is judged later."""
    name, email = fields.customer_name, fields.customer_email
    document, phone = fields.customer_cpf, fields.customer_phone
    if fields.customer_id is not None:
        saved = await ctx.database.one(SAVED, user_id=ctx.store_id, environment=ctx.environment, id=fields.customer_id)
        if saved is None:
            raise NotFound("Cliente não encontrado.")
        name, email = name or saved["name"], email or saved["email"]
        document, phone = document or saved["cpf"], phone or saved["phone"]
    return Payer(name or "", email, document, phone)


def missing_payer_fields(payer: Payer) -> list[str]:
    """The input fields that Pix needs of a payer and that are still empty."""
    needed = {"customer_name": payer.name, "customer_email": payer.email, "customer_cpf": payer.document}
    return [name for name, value in needed.items() if not value]


def require(missing: list[str]) -> None:
    """Refuse an order in which required fields are missing, all of them at once."""
    if missing:
        raise InvalidInput(*missing_fields(missing))
