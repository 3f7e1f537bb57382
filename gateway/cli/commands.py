"""The `gateway` command.

Imports inside functions are wanted here, and only here: a command loads what it runs and nothing else, so that
`gateway --help` and a supervisor's children start at once.
"""

# ruff: noqa: PLC0415  # See above.

import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Annotated, Any, Literal, NoReturn

import typer

from gateway import __version__
from gateway.values.user_error import UserError

app = typer.Typer(
    name="gateway",
    help="A self-hostable Pix payment gateway.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

admin = typer.Typer(no_args_is_help=True, help="Staff, notifications and secrets of this deployment.")
simulate = typer.Typer(no_args_is_help=True, help="The bank, simulated.")
app.add_typer(admin, name="admin")
app.add_typer(simulate, name="simulate")


def _print_version(requested: bool) -> None:
    if requested:
        typer.echo(f"gateway {__version__}")
        raise typer.Exit(0)


@app.callback()
def options(
    version: Annotated[  # Its callback ends the command.
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """A self-hostable Pix payment gateway."""


Host = Annotated[str, typer.Option(help="Address to listen on.")]
Port = Annotated[int, typer.Option(min=1, max=65535, help="Port to listen on.")]
DataDir = Annotated[Path, typer.Option(help="Where the embedded servers keep their data.")]
DEFAULT_DATA_DIR = Path(".gateway")
Environment = Annotated[Literal["test", "live"], typer.Argument(help="Which environment.")]


@app.command()
def dev(
    host: Host = "127.0.0.1",
    port: Port = 8000,
    data_dir: DataDir = DEFAULT_DATA_DIR,
    demo: Annotated[
        bool | None,
        typer.Option(
            "--demo/--no-demo",
            help="Seed a demo merchant and a staff user, and print their keys. Default: into the embedded database only.",
        ),
    ] = None,
) -> None:
    """Run everything in one go: PostgreSQL, Redis, migrations, API and worker."""
    from gateway.dev.embedded.defaults import seeds_demo
    from gateway.dev.supervisor import DevOptions, run

    seeds = seeds_demo(demo)
    options = DevOptions(host, port, data_dir, demo=seeds)

    def announce() -> str:
        from gateway.server.startup import gc_disabled, without_unused

        with gc_disabled(), without_unused():
            from gateway.dev.banner import banner
            from gateway.dev.demo import prepare
        from gateway.settings import load_settings

        settings = load_settings()
        if seeds:
            typer.echo("gateway dev: making the demo data", err=True)
        demo_data = prepare(settings, data_dir) if seeds else None
        token = settings.engine_test_token.get_secret_value() if settings.engine_test_token else ""
        return banner(
            options.url,
            demo_data,
            token=token,
            inbox=settings.relay is None,
            panel=settings.panel,
            requested=True if seeds else demo,
        )

    run(options, announce)


@app.command()
def serve(
    host: Host = "127.0.0.1",
    port: Port = 8000,
    workers: Annotated[int, typer.Option(min=0, help="Processes; 0 means as many as suit this machine.")] = 0,
    graceful_seconds: Annotated[int, typer.Option(min=1, help="What running requests get when it stops.")] = 20,
) -> None:
    """Run the API alone, against configured PostgreSQL and Redis."""
    from gateway.server.startup import gc_disabled, without_unused

    with gc_disabled(), without_unused():
        from gateway.cli.preflight import check_start
        from gateway.server.serve import default_workers
        from gateway.server.serve import serve as serve_api
        from gateway.settings import load_settings, require_long_tokens

    check_start(require_long_tokens(load_settings()))
    count = workers or default_workers()
    if not serve_api(host=host, port=port, workers=count, graceful_seconds=graceful_seconds):
        raise typer.Exit(1)


@app.command(hidden=True)
def serve_dev(host: Host, port: Port, graceful_seconds: int = 20) -> None:
    """Run the API of `gateway dev`, with the pages that only developers get."""
    from gateway.server.serve import DEV_APPLICATION
    from gateway.server.serve import serve as serve_api

    if not serve_api(host=host, port=port, workers=1, graceful_seconds=graceful_seconds, application=DEV_APPLICATION):
        raise typer.Exit(1)


@app.command()
def worker(
    of_dev: Annotated[bool, typer.Option("--of-dev", hidden=True, help="The worker of `gateway dev`.")] = False,
) -> None:
    """Run the worker alone: webhook deliveries, emails, periodic jobs, arq."""
    from gateway.server.startup import gc_disabled, without_unused
    from gateway.settings import load_settings, require_long_tokens

    settings = load_settings() if of_dev else require_long_tokens(load_settings())
    with gc_disabled(), without_unused():
        from gateway.cli.preflight import check_start
        from gateway.server.worker import run_worker
    check_start(settings)
    if not run_worker(settings):
        raise typer.Exit(1)


@app.command()
def listen(
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port of 127.0.0.1 to receive on.")] = 8200,
    secret: Annotated[str | None, typer.Option(help="The endpoint's secret, whsec_…, to verify with.")] = None,
    register: Annotated[str | None, typer.Option(metavar="TOKEN", help="Session token to register with.")] = None,
    api: Annotated[str, typer.Option(help="Base URL of the API to register at.")] = "http://127.0.0.1:8000",
    forward: Annotated[
        str | None, typer.Option(metavar="URL", help="Pass each webhook on, with the same bytes and headers.")
    ] = None,
    full: Annotated[bool, typer.Option("--full", help="Print headers and bodies, too.")] = False,
) -> None:
    """Receive webhooks on this machine, print a line for each and verify their signatures."""
    from gateway.cli.webhook_listener import ListenOptions
    from gateway.cli.webhook_listener import listen as receive

    receive(ListenOptions(port, secret, register, api, forward, full))


@app.command()
def init(  # One option for each setting that an operator decides.
    base_url: Annotated[str, typer.Option(help="Public address, such as https://pix.example.com.")],
    file: Annotated[Path, typer.Option(help="Env file to write; `-` prints it.")] = Path("gateway.env"),
    database_url: Annotated[
        str, typer.Option(help="PostgreSQL. Without a password, a fresh one is made.")
    ] = "postgresql://gateway@127.0.0.1:5432/gateway",
    redis_url: Annotated[str, typer.Option(help="Redis.")] = "redis://127.0.0.1:6379/0",
    documents_url: Annotated[
        str, typer.Option(help="Where merchants' documents are stored.")
    ] = "file:///var/lib/gateway/documents",
    trusted_proxies: Annotated[str, typer.Option(help="Networks of the proxies, CIDR list.")] = "127.0.0.1/32,::1/128",
    engine_live: Annotated[str | None, typer.Option(help="Engine of live charges: asaas, bcb or simulator.")] = None,
    smtp_url: Annotated[str | None, typer.Option(help="Relay of emails.")] = None,
    mail_from: Annotated[str | None, typer.Option(help="Sender of emails.")] = None,
) -> None:
    """Write an env file with fresh secrets, and print the SQL that makes role and database."""
    from gateway.cli.init import STANDARD_OUTPUT, InitOptions, initialise

    options = InitOptions(
        file, base_url, database_url, redis_url, documents_url, trusted_proxies, engine_live, smtp_url, mail_from
    )
    text, sql = initialise(options)
    if file == STANDARD_OUTPUT:
        typer.echo(text, nl=False)
    else:
        typer.echo(f"gateway: wrote {file}; a superuser of PostgreSQL runs this SQL:", err=True)
    typer.echo(sql, nl=False, err=file == STANDARD_OUTPUT)


@app.command()
def migrate(data_dir: DataDir = DEFAULT_DATA_DIR) -> None:
    """Migrate the database to the newest schema."""
    from gateway.dev.embedded.defaults import database_url
    from gateway.models.connectivity import check_connection, newest_revision
    from gateway.models.migrate import upgrade

    with database_url(data_dir) as url:
        check_connection(url)
        started = time.monotonic()
        migrated = upgrade(url)
    if migrated.before == migrated.after == newest_revision():
        typer.echo(f"the schema is at {migrated.after}: nothing to do")
    elif migrated.before != migrated.after:
        seconds = time.monotonic() - started
        typer.echo(f"migrated the schema from {migrated.before or 'nothing'} to {migrated.after} in {seconds:.1f} s")


@app.command()
def bill(
    as_of: Annotated[str | None, typer.Option(metavar="ISO", help="Bill what is due at this time, not now.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Tell what would be done, and do nothing.")] = False,
    data_dir: DataDir = DEFAULT_DATA_DIR,
) -> None:
    """Run the billing of subscriptions now, and print the summary."""
    from gateway.cli.billing import run_billing

    run_billing(data_dir, as_of, dry_run=dry_run)


@app.command()
def reconcile(
    at_once: Annotated[bool, typer.Option("--all", help="Also check charges that are due later.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Ask, tell what would be done, and write nothing.")
    ] = False,
    data_dir: DataDir = DEFAULT_DATA_DIR,
) -> None:
    """Check charges and issuances with unknown outcomes at the engines, and print the results."""
    from msgspec.structs import asdict

    from gateway.cli.context import run
    from gateway.resolvers.reconciliation.runner import dry_run as preview
    from gateway.resolvers.reconciliation.runner import reconcile as reconcile_charges

    summary = run(data_dir, preview if dry_run else lambda ctx: reconcile_charges(ctx, run_all=at_once))
    for name, count in asdict(summary).items():
        typer.echo(f"{name}: {count}")
    if summary.differing:
        typer.echo("Staff sees what differs at GET /admin/differences.")


@app.command()
def schema() -> None:
    """Print the GraphQL schema (SDL)."""
    from gateway.schema.schema import sdl

    typer.echo(sdl(), nl=False)


@app.command()
def openapi() -> None:
    """Print the OpenAPI 3.1 document."""
    import json

    from gateway.rest_compat.openapi import openapi as document
    from gateway.rest_compat.routes import ENDPOINTS

    typer.echo(json.dumps(document(ENDPOINTS), ensure_ascii=False, indent=2))


@app.command()
def doctor(
    whole_trail: Annotated[bool, typer.Option("--whole-trail", help="Verify all of the audit trail.")] = False,
    anchors: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Compare the audit trail with an earlier output of `admin anchors`."),
    ] = None,
    data_dir: DataDir = DEFAULT_DATA_DIR,
) -> None:
    """Check configuration, database, Redis, audit trail, mail, engines and clock; say what to fix.
    Exit code 1 if something must be.
    """
    from gateway.doctor import examine

    if not examine(data_dir, typer.echo, whole_trail=whole_trail, anchors=anchors):
        raise typer.Exit(1)


@admin.command()
def promote(email: str, data_dir: DataDir = DEFAULT_DATA_DIR) -> None:
    """Make an account the service's staff."""
    _set_staff(email, data_dir, staff=True)


@admin.command()
def demote(email: str, data_dir: DataDir = DEFAULT_DATA_DIR) -> None:
    """Make an account an ordinary merchant again."""
    _set_staff(email, data_dir, staff=False)


@admin.command()
def reset_two_factor(email: str, data_dir: DataDir = DEFAULT_DATA_DIR) -> None:
    """Remove a lost second factor, and end the account's sessions. Verify the person's identity first."""
    from gateway.cli.context import run
    from gateway.resolvers.two_factor.enrollment import reset_two_factor as reset

    run(data_dir, lambda ctx: reset(ctx, email))
    typer.echo(f"{email} logs in with the password alone")


@admin.command()
def register_webhook(environment: Environment, data_dir: DataDir = DEFAULT_DATA_DIR) -> None:
    """Have the engine of `test` or `live` send its notifications to this gateway. Safe to repeat."""
    from gateway.cli.context import run
    from gateway.models.base import Environment as Known
    from gateway.resolvers.engine_notifications.registration import register_webhooks

    done = run(data_dir, lambda ctx: register_webhooks(ctx, Known(environment)))
    typer.echo(f"{done.engine} sends its notifications of {environment} here")
    if done.accounts:
        typer.echo(f"the worker registers those of {done.accounts} merchants' accounts again")


@admin.command()
def anchors(data_dir: DataDir = DEFAULT_DATA_DIR) -> None:
    """Print the newest entry of every audit hash chain, to be stored elsewhere: `gateway doctor --anchors`."""
    from gateway.cli.context import run
    from gateway.doctor.audit import format_anchors
    from gateway.resolvers.audit.verify_chain import anchors as newest

    for line in format_anchors(run(data_dir, lambda ctx: newest(ctx.database))):
        typer.echo(line)


@admin.command()
def reencrypt(data_dir: DataDir = DEFAULT_DATA_DIR) -> None:
    """Encrypt all secrets at rest with the newest key. Exit code 1 if no key decrypts some."""
    from gateway.cli.context import run
    from gateway.resolvers.key_rotation import rotate_keys

    columns = run(data_dir, rotate_keys)
    for column in columns:
        typer.echo(f"{column.column}: {column.rotated} reencrypted" + (f", {column.lost} lost" * (column.lost > 0)))
        if column.lost:
            more = f" and {column.lost - len(column.sample_ids)} more" * (column.lost > len(column.sample_ids))
            typer.echo(f"gateway: no key opens {column.column} of {', '.join(column.sample_ids)}{more}", err=True)
    if any(column.lost for column in columns):
        raise typer.Exit(1)


def _set_staff(email: str, data_dir: Path, *, staff: bool) -> None:
    from gateway.cli.context import run
    from gateway.resolvers.staff.access import set_staff

    run(data_dir, lambda ctx: set_staff(ctx, email, staff=staff))
    typer.echo(f"{email} {'is now' if staff else 'is no longer'} staff")


@admin.command()
def adopt_account(
    account_id: str,
    key: Annotated[
        str, typer.Option(prompt=True, hide_input=True, help="The account's new key; prompted for if absent.")
    ],
    data_dir: DataDir = DEFAULT_DATA_DIR,
) -> None:
    """Store a new key of a receiving account, created at the engine because the first one was lost."""
    from gateway.cli.context import run
    from gateway.resolvers.receiving.maintenance import adopt_account as adopt

    run(data_dir, lambda ctx: adopt(ctx, account_id, key))
    typer.echo(f"{account_id} is its store's again; the worker reads its approval")


@simulate.command()
def pay(txid: str, data_dir: DataDir = DEFAULT_DATA_DIR) -> None:
    """Pay a charge as the payer's bank would, in test or live."""
    from gateway.resolvers.charges.simulate_payment import simulate_bank_payment

    _simulate(txid, data_dir, lambda ctx: simulate_bank_payment(ctx, txid))


@simulate.command()
def approve_account(account_id: str, data_dir: DataDir = DEFAULT_DATA_DIR) -> None:
    """Approve a merchant's receiving account as the bank would, in test or live."""
    from gateway.resolvers.engine_notifications.simulate import simulate_account_approval

    _simulate(account_id, data_dir, lambda ctx: simulate_account_approval(ctx, account_id))


@simulate.command()
def finish_transfer(
    withdrawal_id: Annotated[
        str, typer.Argument(metavar="ID", help="The withdrawal, or its transfer at the simulator.")
    ],
    fail: Annotated[bool, typer.Option("--fail", help="Let the transfer fail.")] = False,
    data_dir: DataDir = DEFAULT_DATA_DIR,
) -> None:
    """Complete a withdrawal's transfer as the bank would, in test or live."""
    from gateway.resolvers.engine_notifications.simulate import simulate_transfer_result

    _simulate(withdrawal_id, data_dir, lambda ctx: simulate_transfer_result(ctx, withdrawal_id, succeeds=not fail))


def _simulate(subject: str, data_dir: Path, act: Callable[[Any], Awaitable[object]]) -> None:
    from gateway.cli.context import run

    outcome = run(data_dir, act)
    typer.echo(f"{subject}: {outcome}")
    if outcome != "applied":
        raise typer.Exit(1)


def main() -> None:
    """Run one command. A `UserError` is one line on stderr and exit code 2, not a traceback."""
    try:
        app()
    except UserError as error:
        _end(str(error), error.exit_code)
    except Exception as error:
        from gateway.models.privilege_errors import hint_for

        line = hint_for(error)
        if line is None:
            raise
        _end(line)


def _end(line: str, code: int = 2) -> NoReturn:
    sys.stderr.write(f"gateway: {line}\n")
    sys.exit(code)
