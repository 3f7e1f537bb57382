"""Sample requests to engines."""

from datetime import UTC, datetime, timedelta
from typing import Any

from msgspec.structs import replace

from gateway.integrations.engines.interface import (
    EngineCharge,
    NewAccount,
    NewCharge,
    NewRefund,
    NewTransfer,
    Payer,
)
from gateway.models.engines import PixKeyType
from gateway.values.ids import new_id, new_txid

PAYER = Payer("José Pagador", "jose@example.com", "52998224725", "11987654321")
COMPANY = NewAccount(
    name="Padaria do João Ltda",
    email="padaria@example.com",
    document="11222333000181",
    phone="11987654321",
    monthly_revenue=2_500_050,
    address="Rua das Flores",
    address_number="12",
    province="Centro",
    postal_code="01310100",
    company_type="LIMITED",
)


def new_charge(**changes: Any) -> NewCharge:
    expires_at = datetime.now(UTC) + timedelta(hours=24)
    charge_id = new_id()
    wanted = NewCharge(charge_id, new_txid(charge_id), 12990, "Pedido 1", PAYER, expires_at, "Loja da Ana")
    return replace(wanted, **changes)


def new_refund(charge: EngineCharge, **changes: Any) -> NewRefund:
    """A refund of the whole charge."""
    return replace(NewRefund(new_id(), charge.id, charge.end_to_end_id, charge.amount, "Produto esgotado"), **changes)


def new_transfer(**changes: Any) -> NewTransfer:
    return replace(NewTransfer(new_id(), 5000, "52998224725", PixKeyType.cpf, "Saque"), **changes)
