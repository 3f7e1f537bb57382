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


def sources_of(target: WithdrawalStatus) -> list[str]:
    """The states from which `target` may be reached: what a conditional update compares with."""
    return [source.value for source, targets in ALLOWED.items() if target in targets]
