"""Write the audit trail. A record is inserted in the transaction of its action, often in the same statement."""

from typing import Any

from sqlalchemy import CTE, ColumnElement, Text, bindparam, cast, func, insert, select

from gateway.models.audit import ActorType
from gateway.models.audit import audit_pending as pending
from gateway.models.base import Environment
from gateway.models.database import Executor, Statement
from gateway.resolvers.audit.chain import FIELDS
from gateway.resolvers.audit.changes import changes_of
from gateway.resolvers.core.actor import Credential
from gateway.resolvers.core.context import Context
from gateway.values.ids import new_id

COLUMNS = {name: pending.c["record_id" if name == "id" else name] for name in FIELDS}
"""The column of each field in `audit_pending`."""


def _bound(prefix: str = "audit_") -> dict[str, ColumnElement[Any]]:
    return {name: bindparam(f"{prefix}{name}", type_=column.type) for name, column in COLUMNS.items()}


RECORD = Statement(insert(pending).inline().values({COLUMNS[name]: value for name, value in _bound().items()}))


def insert_record_cte(action: CTE) -> CTE:
    """Insert one record for each row of the CTE, in the same statement. Binds `record_of`."""
    return _insert_cte(action, _bound(), "audit")


def with_record(action: CTE, *more: CTE) -> Statement:
    """The rows of the CTE, with `insert_record_cte` and `more` in the same statement."""
    return Statement(select(action).add_cte(insert_record_cte(action), *more))


def insert_records_cte(action: CTE, prefix: str = "", changes: ColumnElement[Any] | None = None) -> CTE:
    """Like `insert_record_cte`, with the resource of each record from the row: its `id`, `user_id` and `environment`.

    The rest is bound, with `prefix` before each name, so that one statement can write several actions (`records_of`).
    """
    resource = {
        "store_id": action.c.user_id,
        "resource_id": cast(action.c.id, Text),
        "environment": action.c.environment,
    }
    own = {"id": func.uuidv7(), **resource, **({} if changes is None else {"changes": changes})}
    return _insert_cte(action, _bound(f"{prefix}audit_") | own, f"{prefix}audit")


def _insert_cte(action: CTE, values: dict[str, Any], name: str) -> CTE:
    rows = select(*values.values()).select_from(action)
    return insert(pending).from_select(list(COLUMNS.values()), rows).cte(name)


def records_of(ctx: Context, action: str, prefix: str = "") -> dict[str, Any]:
    """The bound values of `insert_records_cte`."""
    return {f"{prefix}{name}": value for name, value in record_of(ctx, action, None).items()}


def record_of(
    ctx: Context,
    action: str,
    resource_id: str | None,
    *,
    changes: dict[str, Any] | None = None,
    store_id: str | None = None,
    environment: Environment | str | None = None,
) -> dict[str, Any]:
    """The bound values of one record. `action` is like `coupon.updated`; `changes` as in `changes_of`. By default it is
    about the caller's store and environment.
    """
    actor, origin = ctx.actor, ctx.origin
    return {
        "audit_id": new_id(),
        "audit_store_id": store_id or actor.store_id or None,
        "audit_actor_type": _actor_type(ctx),
        "audit_actor_id": actor.key_id or actor.user_id or None,
        "audit_actor_name": actor.name or None,
        "audit_action": action,
        "audit_resource_type": action.partition(".")[0],
        "audit_resource_id": resource_id,
        "audit_environment": environment or actor.environment,
        "audit_source": origin.source,
        "audit_ip": origin.ip,
        "audit_user_agent": origin.user_agent,
        "audit_request_id": origin.request_id,
        "audit_changes": changes_of(changes) if changes else {},
        "audit_created_at": ctx.real_clock.now(),
    }


async def record(
    ctx: Context,
    transaction: Executor,
    action: str,
    resource_id: str | None,
    *,
    changes: dict[str, Any] | None = None,
    store_id: str | None = None,
    environment: Environment | str | None = None,
) -> None:
    """Insert one record in the transaction of the action. The arguments are those of `record_of`."""
    values = record_of(ctx, action, resource_id, changes=changes, store_id=store_id, environment=environment)
    await transaction.run(RECORD, **values)


def _actor_type(ctx: Context) -> ActorType:
    if ctx.origin.source == "engine":
        return ActorType.engine
    if ctx.actor.is_staff:
        return ActorType.staff
    return {
        Credential.none: ActorType.public,
        Credential.session: ActorType.user,
        Credential.api_key: ActorType.api_key,
        Credential.system: ActorType.system,
    }[ctx.actor.credential]
