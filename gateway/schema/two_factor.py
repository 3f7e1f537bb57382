"""The second factor over GraphQL."""

import strawberry

from gateway.resolvers.accounts.types import SessionView
from gateway.resolvers.two_factor import enrollment, login
from gateway.resolvers.two_factor.types import (
    AnswerChallenge,
    BeginTwoFactor,
    ConfirmTwoFactor,
    EnrolmentView,
    ProveTwoFactor,
    RecoveryCodesView,
    TwoFactorEnabledView,
    TwoFactorView,
)
from gateway.schema import drafts
from gateway.schema.context import Info

drafts.output(TwoFactorView, "TwoFactor")
drafts.output(EnrolmentView, "TwoFactorEnrolment")
drafts.output(TwoFactorEnabledView, "TwoFactorEnabled")
drafts.output(RecoveryCodesView, "RecoveryCodes")
drafts.input(AnswerChallenge, "LoginWithCodeInput")
drafts.input(BeginTwoFactor, "BeginTwoFactorInput")
drafts.input(ConfirmTwoFactor, "ConfirmTwoFactorInput")
drafts.input(ProveTwoFactor, "ProveTwoFactorInput")


@strawberry.type
class TwoFactorQuery:
    @strawberry.field(description="A verificação em duas etapas da própria conta.")
    async def two_factor(self, info: Info) -> TwoFactorView:
        return await enrollment.read_two_factor(info.context.call, {})


@strawberry.type
class TwoFactorMutation:
    @strawberry.mutation(description="Abre a sessão que pediu um código (`SEGUNDO_FATOR_EXIGIDO`).")
    async def login_with_code(self, info: Info, input: AnswerChallenge) -> SessionView:
        return await login.log_in_with_code(info.context.call, input)

    @strawberry.mutation(description="Mostra o segredo a configurar no aplicativo; nada muda até a confirmação.")
    async def begin_two_factor(self, info: Info, input: BeginTwoFactor) -> EnrolmentView:
        return await enrollment.begin_two_factor(info.context.call, input)

    @strawberry.mutation(description="Ativa a verificação em duas etapas e encerra as outras sessões.")
    async def confirm_two_factor(self, info: Info, input: ConfirmTwoFactor) -> TwoFactorEnabledView:
        return await enrollment.confirm_two_factor(info.context.call, input)

    @strawberry.mutation(description="Troca os códigos de recuperação.")
    async def renew_recovery_codes(self, info: Info, input: ProveTwoFactor) -> RecoveryCodesView:
        return await enrollment.renew_recovery_codes(info.context.call, input)

    @strawberry.mutation(description="Desativa a verificação em duas etapas.")
    async def disable_two_factor(self, info: Info, input: ProveTwoFactor) -> TwoFactorView:
        return await enrollment.disable_two_factor(info.context.call, input)
