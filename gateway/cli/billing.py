"""`gateway bill`: runs the billing job with a progress bar."""

from datetime import datetime
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from gateway.cli.context import ConsoleError, UsageError, run
from gateway.errors import JobInProgress
from gateway.resolvers.core.context import Context
from gateway.resolvers.receiving.account_for_charge import ACCOUNT_NOT_APPROVED, NO_ACCOUNT, UNREADABLE
from gateway.resolvers.subscriptions.billing import BAD_CODE, BUSY, REFUSED, UNKNOWN, BillingOptions
from gateway.resolvers.subscriptions.billing_job import bill, count_due
from gateway.resolvers.subscriptions.due import NO_DOCUMENT, NOT_APPROVED, TOO_SMALL
from gateway.resolvers.subscriptions.summary import BillingResult, BillingSummaryView
from gateway.values.dates import read_end

COUNTS = {
    "seen": "analisadas",
    "charged": "cobradas",
    "already_charged": "ja_cobradas",
    "failed": "falhas",
    "rescheduled": "sem_data",
}
"""Printed names, and the fields of the summary."""
REASONS = {
    NOT_APPROVED: "the store isn't approved for production",
    NO_DOCUMENT: "the payer's CPF or CNPJ is missing",
    TOO_SMALL: "the amount is below the minimum of a charge",
    UNKNOWN: "the payment engine didn't answer; the next run looks before it charges",
    REFUSED: "the payment engine refused or failed",
    BAD_CODE: "the payment engine returned an invalid Pix code",
    BUSY: "the subscription was being changed; the next run charges it",
    NO_ACCOUNT: "the store has no receiving account",
    UNREADABLE: "the key of the store's receiving account can't be opened",
    ACCOUNT_NOT_APPROVED: "the store's receiving account isn't approved",
}
"""The API says these in Portuguese; commands speak English."""


def run_billing(data_dir: Path, as_of: str | None, *, dry_run: bool) -> None:
    """Run the job and print its summary. Raises `UsageError`, and `ConsoleError` where another run is under way."""
    options = BillingOptions(_parse_time(as_of), dry_run)
    try:
        summary = run(data_dir, lambda ctx: _run_with_progress(ctx, options))
    except JobInProgress:
        raise ConsoleError("another billing run is under way") from None
    _print(summary, dry_run=dry_run)


def _parse_time(text: str | None) -> datetime | None:
    try:
        return None if text is None else read_end(text)
    except ValueError:
        raise UsageError("--as-of: give a date or a time, such as 2026-12-25 or 2026-12-25T09:00:00-03:00") from None


async def _run_with_progress(ctx: Context, options: BillingOptions) -> BillingSummaryView:
    total = await count_due(ctx, options)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    # On stderr, so that stdout has only the summary.
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task("subscriptions", total=total)
        return await bill(ctx, options, lambda done: bar.update(task, completed=done))


def _print(summary: BillingSummaryView, *, dry_run: bool) -> None:
    console = Console(highlight=False)
    seconds = (summary.concluido_em - summary.iniciado_em).total_seconds()
    console.print("Dry run: nothing was charged." if dry_run else f"Done in {seconds:.1f} s.")
    table = Table(show_header=False, box=None, pad_edge=False)
    for name, field in COUNTS.items():
        table.add_row(name, str(getattr(summary, field)))
    console.print(table)
    for detail in summary.detalhes:
        if detail.resultado is BillingResult.falha:
            reason = detail.motivo or "failed"
            console.print(f"{detail.subscription_id}: {REASONS.get(reason, reason)}")
