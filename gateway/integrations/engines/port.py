"""What the gateway needs of a payment engine, in the gateway's own words.

An engine holds Pix charges at a bank, and in the receiving mode `subconta` an account for each merchant. References are
ours: a charge's and a transfer's `external_reference` is the id of our row, by which an outcome that never reached us
is found again, so a repeated question never makes a second one. Amounts are centavos.

Where `account` is asked for, None is the service's own main account. The caller keeps an account's `secret`, sealed,
from the moment `open_account` returns: no engine tells it twice.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Protocol, runtime_checkable

from msgspec import Struct

from gateway.models.base import Environment
from gateway.models.engines import PixKeyType, Track, TransferState

FEE_NOT_LEFT = "a tarifa do serviço é maior que o que sobra do valor"


class EngineError(Exception):
    """A call to the engine didn't succeed. The message is for the log, never for a caller.

    EngineError
    ├── EngineRefused            the engine understood and said no: nothing was made, asking again is useless
    │   ├── PayerRefused         because of the payer's data
    │   ├── AccountRefused       because of the account that receives: no Pix key, blocked, not approved
    │   │   └── EngineMisconfigured      it doesn't let us in: key, environment or permission; staff must act
    │   │       └── EngineNotConfigured  no engine serves this environment
    │   └── AccountExists        the document has an account already, and its secret can't be told again
    ├── EngineUnavailable        nothing was made: the engine was not reached, or said that it can't work now
    ├── EngineBusy               nothing was made: too many requests; ask later
    └── EngineUnknown            the outcome is unknown: something may have been made
    """

    @property
    def detail(self) -> str:
        """What the engine said, as far as a line of the log goes."""
        return str(self)[:500]


class EngineRefused(EngineError):
    """The engine refuses for good. `reason`: why, in Portuguese for the merchant; empty if it gives none."""

    reason = ""

    def __init__(self, message: str = "", *, reason: str = "") -> None:
        super().__init__(message)
        self.reason = reason


class PayerRefused(EngineRefused):
    """The payer's data is at fault; with other data the same order may pass."""


class AccountRefused(EngineRefused):
    """The account that receives is at fault. No order passes until somebody mends it."""


class EngineMisconfigured(AccountRefused):
    """Our key or what it may do is wrong; an operator mends it."""


class EngineNotConfigured(EngineMisconfigured):
    """No engine serves this environment (`GATEWAY_ENGINE_LIVE`)."""


class AccountExists(EngineRefused):
    """The document has an account at the engine whose secret we don't hold; only staff can recover it. `just_made`: it
    is the one that was asked for, and only its secret didn't reach us.
    """

    def __init__(self, account_id: str, *, just_made: bool = False) -> None:
        super().__init__(f"the document has the account {account_id} already")
        self.account_id = account_id
        self.just_made = just_made


class EngineUnavailable(EngineError):
    """Not reached, or out of order; nothing was made."""


class EngineBusy(EngineError):
    """Over the engine's quota; nothing was made."""


class EngineUnknown(EngineError):
    """Timed out, or the connection broke after the request was sent."""


class EngineState(StrEnum):
    """Where a charge stands at the engine, in our words."""

    pending = "pending"
    held = "held"
    """Somebody has paid, and the bank holds the money back to look into it, for up to 72 hours."""
    paid = "paid"
    retired = "retired"
    refunded = "refunded"


class Subject(StrEnum):
    """What an inbound notice is about."""

    charge = "charge"
    transfer = "transfer"
    account = "account"
    other = "other"


@dataclass(frozen=True, slots=True)
class Account:
    """A merchant's account at the engine. `secret` is the key that acts on it; it is never printed. `opened_at`, where
    the caller knows it, is for what an engine doesn't want to be asked at once.
    """

    id: str
    secret: str = field(repr=False)
    opened_at: datetime | None = field(default=None, compare=False)


class Payer(Struct, frozen=True):
    """Who is asked to pay; the document is normalised."""

    name: str
    email: str | None
    document: str | None
    phone: str | None


class NewCharge(Struct, frozen=True):
    """A charge that the engine is asked to make. `amount` and `fee` in centavos; the fee of a charge on a merchant's
    account goes to the main account the moment the charge is paid. Without a `due_date` it falls due when it expires.
    """

    external_reference: str
    amount: int
    description: str
    payer: Payer
    expires_at: datetime
    merchant_name: str
    fee: int = 0
    account: Account | None = None
    due_date: datetime | None = None


class EngineCharge(Struct, frozen=True):
    """A charge as the engine reports it. `amount` is what was asked for, `paid_amount` what arrived, in centavos.

    `br_code` is empty where nobody can pay the charge any more, and in the answer of `read_charge`. `paid_at` is None
    where the engine doesn't know the time of day. `left` is what the engine's own fee leaves of an unpaid charge, in
    centavos; None where nothing is known of it. `doubles` are the ids of other unpaid charges that a look-up found
    under the same reference: nobody is to pay them.
    """

    id: str
    external_reference: str
    br_code: str
    amount: int
    state: EngineState
    paid_amount: int | None = None
    paid_at: datetime | None = None
    end_to_end_id: str | None = None
    left: int | None = None
    doubles: tuple[str, ...] = ()


class NewAccount(Struct, frozen=True):
    """An account that the engine is asked to open: a merchant's company, as it is registered (specification section 4,
    `POST /receiving-account`). `document` is a normalised CNPJ, `monthly_revenue` centavos, `company_type` one of the
    specification's words.
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
    """A new account. Its secret comes only here: persist it, sealed, before anything else is done."""

    account: Account
    wallet_id: str
    notices_registered: bool
    """Whether the engine will send the account's notices; `register_notices` mends it."""


class AccountStatus(Struct, frozen=True):
    """An account's approval. `documents_link` is where its holder sends documents and a selfie, read fresh each time
    because it expires; None where nothing is missing. `rejection` is the engine's own text.
    """

    general: Track
    commercial: Track
    bank: Track
    documents: Track
    documents_link: str | None = None
    rejection: str | None = None


class NewTransfer(Struct, frozen=True):
    """A transfer that the engine is asked for: money out of an account to a Pix key. `amount` in centavos."""

    external_reference: str
    amount: int
    pix_key: str
    pix_key_type: PixKeyType
    description: str | None = None
    account: Account | None = None


class EngineTransfer(Struct, frozen=True):
    """A transfer as the engine reports it, amounts in centavos. One that isn't `authorized` waits for somebody at the
    engine to approve it. `fail_reason` is the engine's own text.
    """

    id: str
    external_reference: str | None
    amount: int
    state: TransferState
    fee: int = 0
    authorized: bool = True
    end_to_end_id: str | None = None
    fail_reason: str | None = None


class Notice(Struct, frozen=True):
    """An inbound notice, translated. `kind` keeps the engine's own event name; unknown kinds are legal.

    `engine_id` and `external_reference` are the charge's or the transfer's, as `subject` says. `account_id` names the
    account that it is about, where the engine says so. What a notice claims is read again before it counts.
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
    """Whether the notice has an amount at all. One that can't be read, or is negative, has None in `amount`."""

    def misstates(self, amount: int) -> bool:
        """Whether the notice has an amount, and it isn't this one."""
        return self.states_amount and self.amount != amount


class Symptom(Struct, frozen=True):
    """One thing that `check_up` looked at, for an operator: what is so and, where it isn't good, what to do."""

    good: bool
    text: str


class Engine(Protocol):
    """One engine in one environment. Every method raises any `EngineError` unless it says less."""

    name: str
    has_bank: bool
    """False for the simulator: it has no bank behind it, so an outside notice with the right token is the bank, and its
    books are in our own database, where they can't outlive an intent that was committed before."""

    @property
    def answers(self) -> bool:
        """Whether the last call got an answer that can be worked with; no call is made to find out."""

    # Charges

    async def create_charge(self, wanted: NewCharge) -> EngineCharge:
        """Make a Pix charge with its BR Code."""

    async def find_charge(self, external_reference: str, account: Account | None = None) -> EngineCharge | None:
        """The charge made for this reference, with its BR Code, or None where there is surely none. Of several a paid
        one counts before the others, which are its `doubles`.
        """

    async def read_charge(self, engine_id: str, account: Account | None = None) -> EngineCharge | None:
        """That very charge as it stands now, for a payment to be believed; None where the engine has no such charge."""

    async def retire_charge(self, engine_id: str, account: Account | None = None) -> None:
        """Let go of an unpaid charge, so that nobody can pay it, best effort; one that is gone or
        paid already is not an error.
        """

    async def confirm_test(self, engine_id: str, account: Account | None = None) -> bytes | None:
        """Pay a test charge. Returns a notice that says so, or None where only the engine's own will."""

    # Merchants' accounts

    async def open_account(self, wanted: NewAccount) -> OpenedAccount:
        """Open an account for a merchant. Looks for one of the same document first: raises `AccountExists` then, also
        where an earlier call's answer was lost.
        """

    async def find_account(self, document: str) -> str | None:
        """The id of the account that a document has at the engine, or None where there is surely none."""

    async def account_status(self, account: Account) -> AccountStatus:
        """The account's approval, read at the engine. What can't be asked so soon after it was opened is None."""

    async def register_notices(self, account: Account | None = None) -> None:
        """Have the engine send the account's notices to us, whatever it sent before. Safe to repeat."""

    # Money out

    async def balance(self, account: Account | None = None) -> int:
        """What the account could transfer now, in centavos."""

    async def create_transfer(self, wanted: NewTransfer) -> EngineTransfer:
        """Order a transfer. After `EngineUnknown`, look with `find_transfer` and never order blindly again."""

    async def find_transfer(
        self, external_reference: str, ordered_at: datetime, account: Account | None = None
    ) -> EngineTransfer | None:
        """The transfer ordered under this reference at that time or later; None where none is found."""

    async def read_transfer(self, engine_id: str, account: Account | None = None) -> EngineTransfer | None:
        """That very transfer as it stands now; None where the engine has no such transfer."""

    async def cancel_transfer(self, engine_id: str, account: Account | None = None) -> EngineTransfer:
        """Take back a transfer that hasn't been carried out. Returns it as it stands then; one that can't be taken back
        any more is `EngineRefused`.
        """

    # Notices and the operator

    async def hear(self, body: Mapping[str, Any]) -> None:
        """Learn of an outside notice that passed the token check. Only an engine without a bank believes it."""

    def translate(self, body: Mapping[str, Any]) -> Notice | None:
        """Read a decoded notice; None for what isn't one."""

    async def check_up(self) -> list[Symptom]:
        """Look at everything that the main account needs, for `gateway doctor`. Raises nothing."""


@runtime_checkable
class TakesMany(Protocol):
    """An engine that makes many charges in one call; the others are called once for each."""

    async def create_charges(self, wanted: Sequence[NewCharge]) -> list[EngineCharge | EngineError]:
        """What became of each, in their order. Raises only what concerns them all, and then nobody knows."""


class Engines(Struct, frozen=True):
    """The engine of each environment."""

    test: Engine
    live: Engine

    def of(self, environment: Environment | str) -> Engine:
        return self.test if environment == Environment.test else self.live
