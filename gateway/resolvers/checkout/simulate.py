"""`POST /checkout/{txid}/simular-pagamento`: in test, the payer's bank, rehearsed from the checkout page."""

from sqlalchemy import bindparam, select

from gateway.errors import NotFound
from gateway.models.charges import charges
from gateway.models.database import Statement
from gateway.resolvers.charges.simulate_payment import pay_test_charge
from gateway.resolvers.charges.views import charge_columns, charge_view
from gateway.resolvers.checkout.inputs import MISSING_CHARGE, WhichPublicCharge
from gateway.resolvers.checkout.limits import SIMULATIONS, count
from gateway.resolvers.checkout.links import from_checkout
from gateway.resolvers.checkout.read_charge import find_public_charge
from gateway.resolvers.checkout.views import PublicChargeView
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.operation import operation

BY_TXID = Statement(select(*charge_columns()).where(charges.c.txid == bindparam("txid")))


@operation("checkout.simulate_payment", Permission.public)
async def simulate_public_payment(ctx: Context, which: WhichPublicCharge) -> PublicChargeView:
    """Pay a test charge, as the payer's bank would. A live one is refused."""
    await count(ctx, SIMULATIONS)
    row = await ctx.database.one(BY_TXID, txid=which.txid, now=ctx.clock.now())
    if row is None:
        raise NotFound(MISSING_CHARGE)
    await pay_test_charge(from_checkout(ctx), charge_view(ctx.settings, row))
    return await find_public_charge(ctx, which.txid)
