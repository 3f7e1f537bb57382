"""`POST /auth/onboarding`: what an account answered at its first access, and what its profile still lacked."""

from typing import Any

import orjson
from sqlalchemy import bindparam, func, update
from sqlalchemy.dialects.postgresql import insert

from gateway.errors import InvalidInput
from gateway.models.accounts import onboarding_answers, users
from gateway.models.database import Statement
from gateway.resolvers.accounts.onboarding_inputs import Onboarding
from gateway.resolvers.accounts.views import USER_COLUMNS, OnboardingResultView, user_view
from gateway.resolvers.audit.trail import record
from gateway.resolvers.core.access import Permission, Reach
from gateway.resolvers.core.actor import Credential
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.operation import operation
from gateway.values.money import reais_from_centavos

MOST_BYTES = 16 * 1024
"""Of all answers together, as JSON."""
FILLS = {
    "company": "store_name",
    **{name: name for name in ("cnpj", "postal_code", "address", "address_number", "complement", "province")},
}
"""Fields of the profile, each with the answer that fills it where it is empty."""

_U, _A = users, onboarding_answers
_now = bindparam("now", type_=_U.c.updated_at.type)
COMPLETE = Statement(
    update(_U)
    .where(_U.c.id == bindparam("user_id"))
    .values(
        {name: func.coalesce(_U.c[name], bindparam(f"new_{name}", type_=_U.c[name].type)) for name in FILLS}
        | {"onboarding_completed_at": func.coalesce(_U.c.onboarding_completed_at, _now), "updated_at": _now}
    )
    .returning(*USER_COLUMNS)
)
_given = insert(_A).values(user_id=bindparam("user_id"), answers=bindparam("answers"), created_at=_now, updated_at=_now)
KEEP = Statement(
    _given.on_conflict_do_update(
        index_elements=[_A.c.user_id],
        set_={"answers": _A.c.answers.op("||")(_given.excluded.answers), "updated_at": _given.excluded.updated_at},
    ).returning(_A.c.answers)
)


@operation("onboarding.complete", Permission.account, scope=Reach.no_scoped_key)
async def complete_onboarding(ctx: Context, given: Onboarding) -> OnboardingResultView:
    """Keep the answers; a second call updates those that it sends, and when the first came stays."""
    answers = given.answers()
    _refuse_long(answers)
    mine = {"user_id": ctx.actor.user_id, "now": ctx.real_clock.now()}
    filling = {f"new_{name}": answers.get(answer) for name, answer in FILLS.items()}
    async with ctx.database.transaction() as transaction:
        row = await transaction.one(COMPLETE, **mine, **filling)
        kept = await transaction.value(KEEP, **mine, answers=answers)
        _refuse_long(kept)
        named = sorted(name for name in answers if name in Onboarding.model_fields)
        await record(ctx, transaction, "account.onboarded", ctx.actor.user_id, changes={"fields": named})
    assert row is not None
    user = user_view(row, by_key=ctx.actor.credential is Credential.api_key)
    return OnboardingResultView.of({"user": user, "environment": ctx.environment, "answers": _in_reais(kept)})


def _refuse_long(answers: dict[str, Any]) -> None:
    if len(orjson.dumps(answers, default=str)) > MOST_BYTES:
        told = f"As respostas passam de {MOST_BYTES // 1024} KiB ao todo."
        raise InvalidInput(("corpo", "as respostas são longas demais"), message=told)


def _in_reais(kept: dict[str, Any]) -> dict[str, Any]:
    revenue = kept.get("monthly_revenue")
    return kept if revenue is None else kept | {"monthly_revenue": reais_from_centavos(revenue)}
