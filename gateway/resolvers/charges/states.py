"""The moves of a charge, as data (contract section 4)."""

from gateway.models.charges import ChargeStatus

ALLOWED: dict[ChargeStatus, frozenset[ChargeStatus]] = {
    ChargeStatus.pending: frozenset(
        {ChargeStatus.paid, ChargeStatus.expired, ChargeStatus.canceled, ChargeStatus.refunded}
    ),
    # Late money wins: a payment that arrives after the expiry, or after the engine let the charge go, is the merchant's
    # all the same. Of a payment that we hear of only when it was given back, nobody is told that it came.
    ChargeStatus.expired: frozenset({ChargeStatus.paid, ChargeStatus.refunded}),
    ChargeStatus.canceled: frozenset({ChargeStatus.paid, ChargeStatus.refunded}),
    ChargeStatus.paid: frozenset({ChargeStatus.refunded}),
    ChargeStatus.refunded: frozenset(),
}
"""`canceled` and `refunded` come from the engine alone. What expired stays so when the engine
lets it go: we asked for that.
"""
