"""Accounts, sessions and two-factor authentication over GraphQL."""

from typing import Annotated

import strawberry

from gateway.models.accounts import ProductionStatus
from gateway.models.base import Environment
from gateway.resolvers.accounts import login, onboarding, password_changes, profile, social_login
from gateway.resolvers.accounts import register as registration
from gateway.resolvers.accounts.onboarding import Onboarding
from gateway.resolvers.accounts.types import (
    ChangePassword,
    ChooseEnvironment,
    ExternalLogin,
    IdentityView,
    Login,
    OnboardingAnswersView,
    OnboardingResultView,
    PasswordResetView,
    Register,
    RequestPasswordReset,
    ResetPassword,
    ResetRequestedView,
    SessionView,
    UpdateProfile,
    UserView,
)
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.deletion import Deleted
from gateway.resolvers.sessions import resume, store, tokens
from gateway.resolvers.sessions.store import OpenSessionView
from gateway.resolvers.two_factor import enrollment
from gateway.resolvers.two_factor import login as code_login
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
from gateway.schema.context import Info
from gateway.schema.strawberry_types import define_enum, define_input, define_output

define_enum(
    Environment,
    "Ambiente: `test` é um sandbox completo, `live` movimenta dinheiro.",
    test="Sandbox: nada movimenta dinheiro.",
    live="Produção: dinheiro de verdade, depois da liberação da loja.",
)
define_enum(
    ProductionStatus,
    "Situação da liberação para produção.",
    sandbox="A loja ainda não pediu a liberação.",
    pending="O pedido está em análise.",
    approved="A loja opera em produção.",
    rejected="O pedido foi recusado; a loja pode pedir de novo.",
    suspended="A operação em produção foi suspensa.",
)
define_output(UserView, "User")
define_output(SessionView, "Session")
define_output(IdentityView, "Identity")
define_output(OnboardingResultView, "OnboardingResult")
define_output(OnboardingAnswersView, "OnboardingAnswers")
define_output(ResetRequestedView, "PasswordResetRequested")
define_output(PasswordResetView, "PasswordReset")
define_input(Onboarding, "OnboardingInput")
define_input(Register, "RegisterInput")
define_input(Login, "LoginInput")
define_input(ExternalLogin, "ExternalLoginInput")
define_input(UpdateProfile, "UpdateProfileInput")
define_input(ChangePassword, "ChangePasswordInput")
define_input(RequestPasswordReset, "RequestPasswordResetInput")
define_input(ResetPassword, "ResetPasswordInput")
define_input(ChooseEnvironment, "ChooseEnvironmentInput")

Remember = Annotated[
    bool,
    strawberry.argument(
        description="Continuar conectado neste aparelho: com `x-panel: 1`, a sessão pode ser retomada por 30 dias."
    ),
]
OptionalEnvironment = Annotated[
    Environment | None, strawberry.argument(description="O ambiente desejado; sem ele, o de um novo acesso.")
]


def _remembering(info: Info, remember: bool) -> Context:
    """The call, for a session whose cookie outlives the browser or not."""
    call = info.context.call
    if call.panel is not None:
        call.panel.remember = remember
    return call


@strawberry.type
class AccountsQuery:
    @strawberry.field(description="O titular da credencial e o ambiente em que ela opera.")
    async def me(self, info: Info) -> IdentityView:
        return await profile.read_me(info.context.call, {})

    @strawberry.field(description="O que a conta já respondeu no primeiro acesso.")
    async def onboarding(self, info: Info) -> OnboardingAnswersView:
        return await onboarding.read_onboarding(info.context.call, {})


@strawberry.type
class AccountsMutation:
    @strawberry.mutation(description="Abre uma conta e uma sessão de teste nela.")
    async def register(self, info: Info, input: Register, remember: Remember = False) -> SessionView:
        return await registration.register(_remembering(info, remember), input)

    @strawberry.mutation(description="Abre uma sessão com e-mail e senha.")
    async def login(self, info: Info, input: Login, remember: Remember = False) -> SessionView:
        return await login.log_in(_remembering(info, remember), input)

    @strawberry.mutation(description="Abre uma sessão com uma conta do Google; na primeira vez, cria a conta.")
    async def external_login(self, info: Info, input: ExternalLogin, remember: Remember = False) -> SessionView:
        return await social_login.log_in_externally(_remembering(info, remember), input)

    @strawberry.mutation(description="Renova a sessão ainda válida; em teste, se ela não pode mais estar em produção.")
    async def refresh_session(self, info: Info) -> SessionView:
        return await tokens.refresh_session(info.context.call, {})

    @strawberry.mutation(
        description="Retoma a sessão do cookie do painel (`x-panel: 1`); em teste, se ela não pode estar em produção."
    )
    async def resume_session(self, info: Info, environment: OptionalEnvironment = None) -> SessionView:
        return await resume.resume_session(info.context.call, {"environment": environment and environment.value})

    @strawberry.mutation(description="Obtém uma sessão no ambiente escolhido.")
    async def choose_environment(self, info: Info, input: ChooseEnvironment) -> SessionView:
        return await tokens.choose_environment(info.context.call, input)

    @strawberry.mutation(description="Altera os campos enviados do perfil.")
    async def update_profile(self, info: Info, input: UpdateProfile) -> IdentityView:
        return await profile.update_profile(info.context.call, input)

    @strawberry.mutation(description="Troca a senha e encerra as sessões anteriores.")
    async def change_password(self, info: Info, input: ChangePassword) -> SessionView:
        return await password_changes.change_password(info.context.call, input)

    @strawberry.mutation(
        description="Envia por e-mail um código para escolher uma nova senha, se há uma conta com o e-mail."
    )
    async def request_password_reset(self, info: Info, input: RequestPasswordReset) -> ResetRequestedView:
        return await password_changes.request_password_reset(info.context.call, input)

    @strawberry.mutation(description="Troca a senha com o código do e-mail e encerra todas as sessões.")
    async def reset_password(self, info: Info, input: ResetPassword) -> PasswordResetView:
        return await password_changes.reset_password(info.context.call, input)

    @strawberry.mutation(description="Guarda as respostas do primeiro acesso e preenche o que falta no perfil.")
    async def complete_onboarding(self, info: Info, input: Onboarding) -> OnboardingResultView:
        return await onboarding.complete_onboarding(info.context.call, input)


define_output(OpenSessionView, "OpenSession")


@strawberry.type
class SessionsQuery:
    @strawberry.field(description="As sessões abertas da própria conta, as últimas usadas primeiro.")
    async def sessions(self, info: Info) -> list[OpenSessionView]:
        return (await store.list_sessions(info.context.call, {})).items


@strawberry.type
class SessionsMutation:
    @strawberry.mutation(description="Encerra uma sessão; vale já na próxima requisição.")
    async def end_session(self, info: Info, id: strawberry.ID) -> Deleted:
        return await tokens.end_session(info.context.call, {"id": id})

    @strawberry.mutation(description="Encerra todas as outras sessões; só o token da resposta vale daí em diante.")
    async def end_other_sessions(self, info: Info) -> SessionView:
        return await tokens.end_other_sessions(info.context.call, {})


define_output(TwoFactorView, "TwoFactor")
define_output(EnrolmentView, "TwoFactorEnrolment")
define_output(TwoFactorEnabledView, "TwoFactorEnabled")
define_output(RecoveryCodesView, "RecoveryCodes")
define_input(AnswerChallenge, "LoginWithCodeInput")
define_input(BeginTwoFactor, "BeginTwoFactorInput")
define_input(ConfirmTwoFactor, "ConfirmTwoFactorInput")
define_input(ProveTwoFactor, "ProveTwoFactorInput")


@strawberry.type
class TwoFactorQuery:
    @strawberry.field(description="A verificação em duas etapas da própria conta.")
    async def two_factor(self, info: Info) -> TwoFactorView:
        return await enrollment.read_two_factor(info.context.call, {})


@strawberry.type
class TwoFactorMutation:
    @strawberry.mutation(description="Abre a sessão que pediu um código (`SEGUNDO_FATOR_EXIGIDO`).")
    async def login_with_code(self, info: Info, input: AnswerChallenge, remember: Remember = False) -> SessionView:
        return await code_login.log_in_with_code(_remembering(info, remember), input)

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
