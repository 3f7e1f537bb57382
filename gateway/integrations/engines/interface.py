"""The interface of a payment engine (payment provider), in the gateway's terms.

An engine has Pix charges at a bank, and in the receiving mode `subconta` an account for each merchant. The
`external_reference` of a charge, transfer or refund is our id; a bank of the Central Bank's API has a charge's `txid`
instead. Each finds a lost result, so nothing is created twice. Amounts are in centavos.

Methods of a `Capability` that an engine lacks raise `EngineRefused`.

An `account` of None is the service's main account. The caller stores the encrypted key of an opened account at once: no
engine returns it again. Every call raises `EngineError` (`gateway.integrations.engines.errors`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Protocol, runtime_checkable

from msgspec import Struct

from gateway.models.base import Environment
from gateway.models.engines import PixKeyType, Track, TransferState
from gateway.values.engine_capabilities import Capability


class EngineState(StrEnum):
    """State of a charge at the engine."""

    pending = "pending"
    held = "held"
    """Paid, but the bank holds the money for review, for up to 72 hours."""
    paid = "paid"
    retired = "retired"
    """Canceled at the engine: it cannot be paid."""
    refunded = "refunded"


class Subject(StrEnum):
    """What a notification is about."""

    charge = "charge"
    transfer = "transfer"
    account = "account"
    other = "other"


@dataclass(frozen=True, slots=True)
class Account:
    """A merchant's account at the engine. `secret` is its API key and never printed. `opened_at`, if known, lets an
    engine avoid requests that are too early.
    """

    id: str
    secret: str = field(repr=False)
    opened_at: datetime | None = field(default=None, compare=False)


class Payer(Struct, frozen=True):
    """The payer; the document is normalized."""

    name: str
    email: str | None
    document: str | None
    phone: str | None


class NewCharge(Struct, frozen=True):
    """A charge to create. `amount` and `fee` in centavos; the fee goes to the main account when the charge is paid.
    Without a `due_date` the charge is due when it expires. `txid`: 32 hexadecimal digits, for one charge ever.
    """

    external_reference: str
    txid: str
    amount: int
    description: str
    payer: Payer
    expires_at: datetime
    merchant_name: str
    fee: int = 0
    account: Account | None = None
    due_date: datetime | None = None


class EngineCharge(Struct, frozen=True):
    """A charge as the engine returns it, amounts in centavos. `amount` is the charge's, `paid_amount` what arrived.

    `external_reference` is None from `read_charge` of an engine that knows the charge by its txid, which is its `id`.
    `br_code` is empty where the charge cannot be paid, and from `read_charge`. `paid_at` is None where the time of day
    is unknown. `net_amount`: what the engine's own fee leaves of an unpaid charge, if known. `duplicates`: ids of other
    unpaid charges with the same reference, which must be canceled. `refunded_amount`: the sum of the completed refunds,
    also of those that we did not order; None where the engine does not say.
    """

    id: str
    external_reference: str | None
    br_code: str
    amount: int
    state: EngineState
    paid_amount: int | None = None
    paid_at: datetime | None = None
    end_to_end_id: str | None = None
    net_amount: int | None = None
    duplicates: tuple[str, ...] = ()
    refunded_amount: int | None = None


class NewAccount(Struct, frozen=True):
    """An account to open for a merchant's company (specification section 4, `POST /receiving-account`). `document` is a
    normalized CNPJ, `monthly_revenue` in centavos.
    """

    name: str
    email: str
    document: str
    phone: str
    monthly_revenue: int
    address: str
    address_number: str
    province: str
    postal_code: str
    complement: str | None = None
    company_type: str | None = None
    site: str | None = None


class OpenedAccount(Struct, frozen=True):
    """A new account. This is the only response with its secret: store it before anything else."""

    account: Account
    wallet_id: str
    webhook_registered: bool
    """Whether our webhook is registered; otherwise call `register_webhook`."""


class AccountStatus(Struct, frozen=True):
    """An account's approval. `documents_link` is where its holder sends documents; it expires, and is None where none
    are missing. `rejection` is the engine's text.
    """

    general: Track
    commercial: Track
    bank: Track
    documents: Track
    documents_link: str | None = None
    rejection: str | None = None


class NewTransfer(Struct, frozen=True):
    """A transfer to order, from an account to a Pix key. `amount` in centavos."""

    external_reference: str
    amount: int
    pix_key: str
    pix_key_type: PixKeyType
    description: str | None = None
    account: Account | None = None


class EngineTransfer(Struct, frozen=True):
    """A transfer as the engine returns it, amounts in centavos. `fail_reason` is the engine's text."""

    id: str
    external_reference: str | None
    amount: int
    state: TransferState
    fee: int = 0
    end_to_end_id: str | None = None
    fail_reason: str | None = None


class NewRefund(Struct, frozen=True):
    """Money to return to a charge's payer. `external_reference` is our refund's id, `charge_id` the charge's id at the
    engine. Amount in centavos. `simulate_rejection`: heeded by the simulator alone.
    """

    external_reference: str
    charge_id: str
    end_to_end_id: str | None
    amount: int
    reason: str | None = None
    account: Account | None = None
    simulate_rejection: bool = False


class EngineRefund(Struct, frozen=True):
    """A refund as the engine returns it, in centavos. `external_reference` is None for one that we did not order.
    `return_id` is the Central Bank's id of the return, 32 characters. `fail_reason` is the engine's text.
    """

    external_reference: str | None
    amount: int
    state: TransferState
    return_id: str | None = None
    fail_reason: str | None = None


class Notification(Struct, frozen=True):
    """A parsed notification. `kind` is the engine's event name; unknown kinds are allowed.

    `engine_id` and `external_reference` are the charge's or the transfer's, by `subject`. Nothing in it is trusted
    before a read at the engine. `event_id` is the same for each repetition. `body` is the part of a body of several
    notifications that has this one alone; None if it is the whole.
    """

    event_id: str
    kind: str
    state: EngineState | None
    engine_id: str | None
    external_reference: str | None
    amount: int | None
    end_to_end_id: str | None = None
    subject: Subject = Subject.charge
    account_id: str | None = None
    states_amount: bool = False
    """Whether it has an amount. `amount` is None where that is invalid or negative."""
    txid: str | None = None
    body: Mapping[str, Any] | None = None

    def misstates(self, amount: int) -> bool:
        """Whether it has an amount other than this one."""
        return self.states_amount and self.amount != amount


class HealthCheckResult(Struct, frozen=True):
    """One result of `check_health`, for an operator: what is the case, and how to fix a failure. `warning`: a failure
    that stops nothing yet.
    """

    ok: bool
    text: str
    warning: bool = False


class Engine(Protocol):
    """One engine in one environment. Every method may raise `EngineError`, unless documented otherwise."""

    name: str
    has_bank: bool
    """False for the simulator: a notification with the right token acts as the bank. Its tables are in our database, so
    it has no charge that we did not commit first."""
    capabilities: frozenset[Capability]
    pays_test_charges: bool
    """Whether `confirm_test` works."""

    @property
    def responding(self) -> bool:
        """Whether the last call got a usable response; makes no call."""

    # Charges

    async def create_charge(self, request: NewCharge) -> EngineCharge:
        """Create a Pix charge with its BR Code."""

    async def find_charge(
        self, external_reference: str, txid: str, account: Account | None = None
    ) -> EngineCharge | None:
        """Find the charge of this reference and txid, with its BR Code; None if none exists. A paid one comes first,
        the others are its `duplicates`.
        """

    async def read_charge(self, engine_id: str, account: Account | None = None) -> EngineCharge | None:
        """Read the charge's current state; None where the engine has no such charge."""

    async def cancel_charge(self, engine_id: str, account: Account | None = None) -> None:
        """Cancel an unpaid charge, best effort. One that is paid or gone is no error."""

    async def confirm_test(self, engine_id: str, account: Account | None = None) -> bytes | None:
        """Pay a test charge. Returns its notification, or None where the engine sends it itself."""

    # Merchants' accounts

    async def open_account(self, request: NewAccount) -> OpenedAccount:
        """Open a merchant's account. Raises `AccountExists` if the document has one, also after a lost response."""

    async def find_account(self, document: str) -> str | None:
        """The id of the document's account; None if none exists."""

    async def account_status(self, account: Account) -> AccountStatus:
        """Read the account's approval. What is not available yet is None."""

    async def register_webhook(self, account: Account | None = None) -> None:
        """Register our webhook for the account, or update it. Idempotent."""

    # Transfers

    async def transfer_fee(self, account: Account | None = None) -> int:
        """What the engine retains of a transfer at most, in centavos."""

    async def create_transfer(self, request: NewTransfer) -> EngineTransfer:
        """Order a transfer. After `EngineOutcomeUnknown`, use `find_transfer`; never order again."""

    async def find_transfer(
        self, external_reference: str, ordered_at: datetime, account: Account | None = None
    ) -> EngineTransfer | None:
        """Find the transfer ordered under this reference, at that time or later."""

    async def read_transfer(self, engine_id: str, account: Account | None = None) -> EngineTransfer | None:
        """Read the transfer's current state; None where the engine has no such transfer."""

    async def cancel_transfer(self, engine_id: str, account: Account | None = None) -> EngineTransfer:
        """Cancel a pending transfer and return it. Raises `EngineRefused` where it is too late."""

    # Refunds

    async def create_refund(self, request: NewRefund) -> EngineRefund:
        """Order a refund. After `EngineOutcomeUnknown`, use `list_refunds`; never order again."""

    async def list_refunds(
        self, charge_id: str, end_to_end_id: str | None, account: Account | None = None
    ) -> list[EngineRefund]:
        """All refunds of a charge, also those that we did not order. Raises `EngineRefused` where the engine has no
        such charge, which does not mean that no refund was ordered.
        """

    # Notifications and health

    async def apply_notification(self, body: Mapping[str, Any]) -> None:
        """Apply a notification that passed the token check. Only an engine without a bank does."""

    def parse_notifications(self, body: Mapping[str, Any]) -> list[Notification]:
        """Parse a decoded body, which may have several notifications; none for an invalid one."""

    async def check_health(self) -> list[HealthCheckResult]:
        """Check the main account's configuration, for `gateway doctor`. Raises nothing."""


class PaymentPage(Struct, frozen=True):
    """A page of payments, as the body of a notification."""

    body: Mapping[str, Any]
    has_more: bool


@runtime_checkable
class ListsPayments(Engine, Protocol):
    """An engine with the capability `period`."""

    async def list_payments(self, begin: datetime, end: datetime, page: int, *, returned: bool = False) -> PaymentPage:
        """The payments of charges, of at most 30 days, by the bank's clock; `returned`: only those with returns. Pages
        count from 0.
        """

    async def read_payment(self, end_to_end_id: str) -> EngineCharge | None:
        """One payment of a charge, also of another system's charge, as a paid or refunded charge; None where the engine
        has no such payment.
        """


class Engines(Struct, frozen=True):
    """The engine of each environment."""

    test: Engine
    live: Engine

    def of(self, environment: Environment | str) -> Engine:
        return self.test if environment == Environment.test else self.live
