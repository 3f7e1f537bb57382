"""The moves of a merchant's production status, as data (contract section 3)."""

from gateway.models.accounts import ProductionStatus

ALLOWED: dict[ProductionStatus, frozenset[ProductionStatus]] = {
    ProductionStatus.sandbox: frozenset({ProductionStatus.pending}),
    ProductionStatus.pending: frozenset({ProductionStatus.approved, ProductionStatus.rejected}),
    ProductionStatus.rejected: frozenset({ProductionStatus.pending}),
    ProductionStatus.approved: frozenset({ProductionStatus.suspended}),
    ProductionStatus.suspended: frozenset({ProductionStatus.approved}),
}

TAKES_DOCUMENTS = frozenset({ProductionStatus.sandbox, ProductionStatus.rejected, ProductionStatus.suspended})
"""Where documents may be sent. Under review and approved they stay what staff looks at or has looked at."""
