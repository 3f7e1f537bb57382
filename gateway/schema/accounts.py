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
from gateway.schema.fields import mutation_field, query_field
from gateway.schema.strawberry_types import define_enum, define_input, define_inputs, define_output, define_outputs

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
define_output(ResetRequestedView, "PasswordResetRequested")
define_outputs(
    UserView, SessionView, IdentityView, OnboardingResultView, OnboardingAnswersView, PasswordResetView, OpenSessionView
)
define_inputs(
    Onboarding,
    Register,
    Login,
    ExternalLogin,
    UpdateProfile,
    ChangePassword,
    RequestPasswordReset,
    ResetPassword,
    ChooseEnvironment,
)
define_output(EnrolmentView, "TwoFactorEnrolment")
define_outputs(TwoFactorView, TwoFactorEnabledView, RecoveryCodesView)
define_input(AnswerChallenge, "LoginWithCodeInput")
define_inputs(BeginTwoFactor, ConfirmTwoFactor, ProveTwoFactor)

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
    me = query_field(profile.read_me, "O titular da credencial e o ambiente em que ela opera.")
    onboarding = query_field(onboarding.read_onboarding, "O que a conta já respondeu no primeiro acesso.")
    two_factor = query_field(enrollment.read_two_factor, "A verificação em duas etapas da própria conta.")
    sessions = query_field(store.list_sessions, "As sessões abertas da própria conta, as últimas usadas primeiro.")


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

    refresh_session = mutation_field(
        tokens.refresh_session, "Renova a sessão ainda válida; em teste, se ela não pode mais estar em produção."
    )

    resume_session = mutation_field(
        resume.resume_session,
        "Retoma a sessão do cookie do painel (`x-panel: 1`); em teste, se ela não pode estar em produção.",
        environment=OptionalEnvironment,
    )
    choose_environment = mutation_field(
        tokens.choose_environment, "Obtém uma sessão no ambiente escolhido.", input=ChooseEnvironment
    )
    update_profile = mutation_field(profile.update_profile, "Altera os campos enviados do perfil.", input=UpdateProfile)
    change_password = mutation_field(
        password_changes.change_password, "Troca a senha e encerra as sessões anteriores.", input=ChangePassword
    )
    request_password_reset = mutation_field(
        password_changes.request_password_reset,
        "Envia por e-mail um código para escolher uma nova senha, se há uma conta com o e-mail.",
        input=RequestPasswordReset,
    )
    reset_password = mutation_field(
        password_changes.reset_password,
        "Troca a senha com o código do e-mail e encerra todas as sessões.",
        input=ResetPassword,
    )
    complete_onboarding = mutation_field(
        onboarding.complete_onboarding,
        "Guarda as respostas do primeiro acesso e preenche o que falta no perfil.",
        input=Onboarding,
    )

    @strawberry.mutation(description="Abre a sessão que pediu um código (`SEGUNDO_FATOR_EXIGIDO`).")
    async def login_with_code(self, info: Info, input: AnswerChallenge, remember: Remember = False) -> SessionView:
        return await code_login.log_in_with_code(_remembering(info, remember), input)

    begin_two_factor = mutation_field(
        enrollment.begin_two_factor,
        "Mostra o segredo a configurar no aplicativo; nada muda até a confirmação.",
        input=BeginTwoFactor,
    )
    confirm_two_factor = mutation_field(
        enrollment.confirm_two_factor,
        "Ativa a verificação em duas etapas e encerra as outras sessões.",
        input=ConfirmTwoFactor,
    )
    renew_recovery_codes = mutation_field(
        enrollment.renew_recovery_codes, "Troca os códigos de recuperação.", input=ProveTwoFactor
    )
    disable_two_factor = mutation_field(
        enrollment.disable_two_factor, "Desativa a verificação em duas etapas.", input=ProveTwoFactor
    )
    end_session = mutation_field(
        tokens.end_session, "Encerra uma sessão; vale já na próxima requisição.", id=strawberry.ID
    )
    end_other_sessions = mutation_field(
        tokens.end_other_sessions, "Encerra todas as outras sessões; só o token da resposta vale daí em diante."
    )
