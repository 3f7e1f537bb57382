"""What is about to be issued, whoever asked for it."""

from datetime import datetime

from msgspec import Struct

from gateway.engines.port import Account, Payer


class Plan(Struct, frozen=True):
    """A charge that has passed every rule and is about to be asked for. Amounts in centavos."""

    store_id: str
    environment: str
    store_name: str
    description: str
    amount: int
    original_amount: int
    expires_at: datetime
    payer: Payer
    customer_id: str | None = None
    discount_amount: int = 0
    fee_amount: int = 0
    product_id: str | None = None
    coupon_id: str | None = None
    coupon_code: str | None = None
    subscription_id: str | None = None
    billing_cycle: datetime | None = None
    """When the subscription was due; None for a charge that the billing job didn't make."""
    payment_link_id: str | None = None
    external_reference: str | None = None
    link_reference: str | None = None
    metadata: dict[str, str] | None = None
    success_url: str | None = None
    cancel_url: str | None = None
    due_date: datetime | None = None
    order_key: str | None = None
    """What makes a payer's repeated order the same one; None where every order is a new one."""
    receiving_account_id: str | None = None
    """The merchant's account that it is made on; None is the service's main account."""
    account: Account | None = None
    """The same, as the engine is given it."""
    registers_payer: bool = False
    """Whether the payer becomes a customer, or is found to be one, in the transaction that reserves."""

    @property
    def stands_alone(self) -> bool:
        """Whether no other order can stand in its way, so that it is reserved by a single statement."""
        return not (
            self.external_reference
            or self.coupon_id
            or self.payment_link_id
            or self.subscription_id
            or self.order_key
            or self.registers_payer
        )
