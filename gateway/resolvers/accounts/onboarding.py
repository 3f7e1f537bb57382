"""`POST /auth/onboarding`: store the answers of an account's first access, and fill its empty profile fields."""

from collections.abc import Mapping
from typing import Annotated, Any

import orjson
from pydantic import AfterValidator, Field
from sqlalchemy import bindparam, func, select, update
from sqlalchemy.dialects.postgresql import insert

from gateway.errors import InvalidInput
from gateway.models.accounts import onboarding_answers, users
from gateway.models.database import Statement
from gateway.resolvers.accounts.types import USER_COLUMNS, OnboardingAnswersView, OnboardingResultView, user_view
from gateway.resolvers.audit.audit_log import record
from gateway.resolvers.core.access import KeyAccess, Permission
from gateway.resolvers.core.actor import Credential
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.inputs import (
    Cnpj,
    Cpf,
    Empty,
    EmptyToNone,
    Input,
    Name,
    Phone,
    RawInput,
    Reais,
    ShortText,
    holds_control,
    none_if_empty,
)
from gateway.resolvers.core.operation import operation
from gateway.values.money import reais_from_centavos

MAX_ANSWERS_BYTES = 16 * 1024
"""All answers of an account, as JSON."""
FILLS = {
    "company": "store_name",
    **{name: name for name in ("cnpj", "postal_code", "address", "address_number", "complement", "province")},
}
"""Fields of the profile, each with the answer that fills it if it is empty."""
MAX_KEY_LENGTH = 64
MAX_EXTRA_ANSWERS = 50
"""In one call."""


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
_insert = insert(_A).values(
    user_id=bindparam("user_id"), answers=bindparam("answers"), created_at=_now, updated_at=_now
)
SAVE_ANSWERS = Statement(
    _insert.on_conflict_do_update(
        index_elements=[_A.c.user_id],
        set_={"answers": _A.c.answers.op("||")(_insert.excluded.answers), "updated_at": _insert.excluded.updated_at},
    ).returning(_A.c.answers)
)

READ = Statement(
    select(users.c.onboarding_completed_at, _A.c.answers)
    .select_from(users.outerjoin(_A, _A.c.user_id == users.c.id))
    .where(users.c.id == bindparam("user_id"))
)


def _extra(value: dict[str, Any]) -> dict[str, Any]:
    if len(value) > MAX_EXTRA_ANSWERS:
        raise ValueError(f"no máximo {MAX_EXTRA_ANSWERS} respostas além das previstas")
    if any(not 1 <= len(key) <= MAX_KEY_LENGTH for key in value):
        raise ValueError(f"chaves de 1 a {MAX_KEY_LENGTH} caracteres")
    if holds_control(value):
        raise ValueError("não pode conter caracteres de controle")
    try:
        orjson.dumps(value)
    except TypeError:  # A number in a GraphQL document may have any length.
        raise ValueError("há um número que não pode ser guardado") from None
    return {name: none_if_empty(answer) for name, answer in value.items()}


class Onboarding(Input):
    """As respostas do assistente do primeiro acesso; todas opcionais.

    `POST /auth/onboarding`: everything is optional. Keys that are not fields are stored as extra answers. GraphQL can't
    have such keys and takes them in `extra`, as REST may.
    """

    origin: Annotated[ShortText | None, EmptyToNone] = Field(None, description="Como conheceu o serviço.")
    responsible_name: Annotated[Name | None, EmptyToNone] = Field(None, description="Nome da pessoa responsável.")
    responsible_cpf: Annotated[Cpf | None, EmptyToNone] = Field(None, description="CPF da pessoa responsável.")
    responsible_phone: Annotated[Phone | None, EmptyToNone] = Field(None, description="Telefone dela, com DDD.")
    store_name: Annotated[Name | None, EmptyToNone] = Field(None, description="Nome da loja.")
    cnpj: Annotated[Cnpj | None, EmptyToNone] = Field(None, description="CNPJ da loja.")
    postal_code: Annotated[ShortText | None, EmptyToNone] = Field(None, description="CEP.")
    address: Annotated[ShortText | None, EmptyToNone] = Field(None, description="Logradouro.")
    address_number: Annotated[ShortText | None, EmptyToNone] = Field(None, description="Número.")
    complement: Annotated[ShortText | None, EmptyToNone] = Field(None, description="Complemento.")
    province: Annotated[ShortText | None, EmptyToNone] = Field(None, description="Bairro.")
    city: Annotated[ShortText | None, EmptyToNone] = Field(None, description="Cidade.")
    state: Annotated[ShortText | None, EmptyToNone] = Field(None, description="Estado.")
    segment: Annotated[ShortText | None, EmptyToNone] = Field(None, description="Segmento.")
    monthly_revenue: Reais | None = Field(None, description="Faturamento mensal, em reais.")
    extra: Annotated[dict[str, Any], AfterValidator(_extra)] | None = Field(
        None, description="Outras respostas, por nome: no máximo 50."
    )

    @classmethod
    def from_raw(cls, raw: RawInput, ctx: Context | None = None) -> "Onboarding":
        """Move unknown keys to `extra`, but for `user_id`, which every operation ignores."""
        known = {name: value for name, value in raw.items() if name in cls.model_fields}
        extra = {name: value for name, value in raw.items() if name not in known and name != "user_id"}
        if extra and isinstance(known.get("extra"), Mapping | None):
            known["extra"] = {**(known.get("extra") or {}), **extra}
        return super().from_raw(known, ctx)

    def answers(self) -> dict[str, Any]:
        """The answers to store. An extra answer doesn't replace a field."""
        sent = self.sent()
        extra = sent.pop("extra", None) or {}
        return {name: value for name, value in extra.items() if name not in type(self).model_fields} | sent


@operation("onboarding.read", Permission.account, scope=KeyAccess.no_scoped_key)
async def read_onboarding(ctx: Context, _: Empty) -> OnboardingAnswersView:
    """Read the stored answers."""
    row = await ctx.database.single(READ, user_id=ctx.actor.user_id)
    answers = _in_reais(row["answers"] or {})
    return OnboardingAnswersView.of({"completed_at": row["onboarding_completed_at"], "answers": answers})


@operation("onboarding.complete", Permission.account, scope=KeyAccess.no_scoped_key)
async def complete_onboarding(ctx: Context, form: Onboarding) -> OnboardingResultView:
    """Store the answers. A second call updates those that it sends; the time of completion stays."""
    answers = form.answers()
    _require_size(answers)
    own = {"user_id": ctx.actor.user_id, "now": ctx.real_clock.now()}
    profile = {f"new_{name}": answers.get(answer) for name, answer in FILLS.items()}
    async with ctx.database.transaction() as transaction:
        row = await transaction.single(COMPLETE, **own, **profile)
        stored = await transaction.value(SAVE_ANSWERS, **own, answers=answers)
        _require_size(stored)
        fields = sorted(name for name in answers if name in Onboarding.model_fields)
        await record(ctx, transaction, "account.onboarded", ctx.actor.user_id, changes={"fields": fields})
    user = user_view(row, by_key=ctx.actor.credential is Credential.api_key)
    return OnboardingResultView.of({"user": user, "environment": ctx.environment, "answers": _in_reais(stored)})


def _require_size(answers: dict[str, Any]) -> None:
    if len(orjson.dumps(answers, default=str)) > MAX_ANSWERS_BYTES:
        message = f"As respostas passam de {MAX_ANSWERS_BYTES // 1024} KiB ao todo."
        raise InvalidInput(("corpo", "as respostas são longas demais"), message=message)


def _in_reais(answers: dict[str, Any]) -> dict[str, Any]:
    revenue = answers.get("monthly_revenue")
    return answers if revenue is None else answers | {"monthly_revenue": reais_from_centavos(revenue)}
