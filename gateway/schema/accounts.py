"""Accounts and sessions over GraphQL."""

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
from gateway.resolvers.sessions import tokens
from gateway.schema import drafts
from gateway.schema.context import Info

drafts.enum(
    Environment,
    "Ambiente: `test` é um sandbox completo, `live` movimenta dinheiro.",
    test="Sandbox: nada movimenta dinheiro.",
    live="Produção: dinheiro de verdade, depois da liberação da loja.",
)
drafts.enum(
    ProductionStatus,
    "Situação da liberação para produção.",
    sandbox="A loja ainda não pediu a liberação.",
    pending="O pedido está em análise.",
    approved="A loja opera em produção.",
    rejected="O pedido foi recusado; a loja pode pedir de novo.",
    suspended="A operação em produção foi suspensa.",
)
drafts.output(UserView, "User")
drafts.output(SessionView, "Session")
drafts.output(IdentityView, "Identity")
drafts.output(OnboardingResultView, "OnboardingResult")
drafts.output(ResetRequestedView, "PasswordResetRequested")
drafts.output(PasswordResetView, "PasswordReset")
drafts.input(Onboarding, "OnboardingInput")
drafts.input(Register, "RegisterInput")
drafts.input(Login, "LoginInput")
drafts.input(ExternalLogin, "ExternalLoginInput")
drafts.input(UpdateProfile, "UpdateProfileInput")
drafts.input(ChangePassword, "ChangePasswordInput")
drafts.input(RequestPasswordReset, "RequestPasswordResetInput")
drafts.input(ResetPassword, "ResetPasswordInput")
drafts.input(ChooseEnvironment, "ChooseEnvironmentInput")


@strawberry.type
class AccountsQuery:
    @strawberry.field(description="O titular da credencial e o ambiente em que ela opera.")
    async def me(self, info: Info) -> IdentityView:
        return await profile.read_me(info.context.call, {})


@strawberry.type
class AccountsMutation:
    @strawberry.mutation(description="Abre uma conta e uma sessão de teste nela.")
    async def register(self, info: Info, input: Register) -> SessionView:
        return await registration.register(info.context.call, input)

    @strawberry.mutation(description="Abre uma sessão com e-mail e senha.")
    async def login(self, info: Info, input: Login) -> SessionView:
        return await login.log_in(info.context.call, input)

    @strawberry.mutation(description="Abre uma sessão com uma conta do Google; na primeira vez, cria a conta.")
    async def external_login(self, info: Info, input: ExternalLogin) -> SessionView:
        return await social_login.log_in_externally(info.context.call, input)

    @strawberry.mutation(description="Renova a sessão ainda válida; em teste, se ela não pode mais estar em produção.")
    async def refresh_session(self, info: Info) -> SessionView:
        return await tokens.refresh_session(info.context.call, {})

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
