"""The moves of a withdrawal, as data (contract section 6)."""

from gateway.models.withdrawals import WithdrawalStatus

ALLOWED: dict[WithdrawalStatus, frozenset[WithdrawalStatus]] = {
    WithdrawalStatus.pending: frozenset(
        {WithdrawalStatus.processing, WithdrawalStatus.completed, WithdrawalStatus.rejected}
    ),
    WithdrawalStatus.processing: frozenset({WithdrawalStatus.completed, WithdrawalStatus.rejected}),
    WithdrawalStatus.completed: frozenset(),
    WithdrawalStatus.rejected: frozenset(),
    WithdrawalStatus.canceled: frozenset(),
}
