"""`gateway bill`: the billing job from the shell, with a bar that shows how far it is."""

from datetime import datetime
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from gateway.console import ConsoleError, run
from gateway.dates import read_end
from gateway.resolvers.context import Context
from gateway.resolvers.subscriptions.billing import BillingOptions, bill, count_due
from gateway.resolvers.subscriptions.summary import BillingResult, BillingSummaryView

COUNTS = ("analisadas", "cobradas", "ja_cobradas", "falhas", "sem_data")


def run_billing(data_dir: Path, as_of: str | None, *, dry_run: bool) -> None:
    """Run the job and print its summary. Raises `ConsoleError`, also where another run is under way."""
    options = BillingOptions(_moment(as_of), dry_run)
    summary = run(data_dir, lambda ctx: _watched(ctx, options))
    _print(summary, dry_run=dry_run)


def _moment(text: str | None) -> datetime | None:
    try:
        return None if text is None else read_end(text)
    except ValueError as error:
        raise ConsoleError(f"--as-of: {error}") from None


def _bar() -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    # On stderr, so that what is printed stays a summary wherever it is sent.
    return Progress(*columns, console=Console(stderr=True))


async def _watched(ctx: Context, options: BillingOptions) -> BillingSummaryView:
    total = await count_due(ctx, options)
    with _bar() as bar:
        task = bar.add_task("assinaturas", total=total)
        return await bill(ctx, options, lambda seen: bar.update(task, completed=seen))


def _print(summary: BillingSummaryView, *, dry_run: bool) -> None:
    console = Console(highlight=False)
    seconds = (summary.concluido_em - summary.iniciado_em).total_seconds()
    console.print("Simulação: nada foi cobrado." if dry_run else f"Concluído em {seconds:.1f} s.")
    table = Table(show_header=False, box=None, pad_edge=False)
    for name in COUNTS:
        table.add_row(name, str(getattr(summary, name)))
    console.print(table)
    for detail in summary.detalhes:
        if detail.resultado is BillingResult.falha:
            console.print(f"{detail.subscription_id}: {detail.motivo}")
