"""Emails about accounts: invitations, production approval, passwords and two-factor authentication."""

from datetime import datetime
from enum import StrEnum
from typing import Literal

from gateway.models.emails import EmailKind
from gateway.resolvers.email.templates import Content, TemplateData, Tone, line, present, time_line
from gateway.security import hash_token
from gateway.values.formatting import count

_ROLES = {
    "admin": "Administração: tudo, menos o que só o titular faz",
    "finance": "Financeiro: consultas, saques e exportações",
    "operator": "Operação: cobranças, clientes, produtos, cupons, links e assinaturas",
    "viewer": "Leitura: somente consultas",
}
_WHY_PRODUCTION = "Você recebeu este e-mail porque pediu a liberação da sua loja para produção."
_WHY_ACCOUNT = "Você recebeu este e-mail porque é titular da conta."


class Invitation(TemplateData):
    """Invites a person to a store. Only this email holds the token (contract section 3)."""

    kind = EmailKind.invitation
    secrets = ("token", "link")

    member_id: str
    store_name: str
    inviter_name: str
    role: Literal["admin", "finance", "operator", "viewer"]
    expires_at: datetime
    token: str
    link: str | None = None
    """The page of the panel that accepts it."""

    @property
    def dedupe_key(self) -> str:
        # A resent invitation has another token, so it is another email.
        return f"invitation:{self.member_id}:{hash_token(self.token).hex()[:32]}"

    def content(self) -> Content:
        return Content(
            f"{self.inviter_name} convidou você para {self.store_name}",
            "Aceite o convite para entrar na equipe da loja.",
            Tone.plain,
            f"Entre na equipe de {self.store_name}",
            (f"{self.inviter_name} convidou você para trabalhar na loja {self.store_name}.",),
            why="Não esperava este convite? Ignore este e-mail: sem o aceite nada acontece.",
            about=self.store_name,
            lines=present(line("Seu papel", _ROLES[self.role]), time_line("Vale até", self.expires_at)),
            code_label="Código do convite",
            code=self.token,
            button=("Aceitar convite", self.link) if self.link else None,
            after=("Entre com a conta deste e-mail, ou crie uma, e aceite. O convite é pessoal: não o encaminhe.",),
        )


class ProductionData(TemplateData):
    """The data of emails about production approval. `reviewed_at` makes each decision unique."""

    store_id: str
    store_name: str
    reviewed_at: datetime
    link: str | None = None
    """The page of the panel about the approval."""

    @property
    def dedupe_key(self) -> str:
        return f"{self.kind}:{self.store_id}:{self.reviewed_at.timestamp():.6f}"


class ProductionApproved(ProductionData):
    """A store was approved for live operation."""

    kind = EmailKind.production_approved

    def content(self) -> Content:
        return Content(
            "Produção liberada: sua loja já pode receber",
            f"A análise de {self.store_name} terminou bem. Crie sua chave de produção e comece.",
            Tone.good,
            "Sua loja está liberada",
            (f"A análise terminou, e {self.store_name} já pode emitir cobranças de verdade.",),
            why=_WHY_PRODUCTION,
            lines=present(time_line("Analisado em", self.reviewed_at)),
            button=("Abrir o painel", self.link) if self.link else None,
            after=(
                "Próximos passos: mude a sessão para produção, crie uma chave de API e cadastre seus webhooks de produção.",
                "O ambiente de teste continua à disposição.",
            ),
        )


class ProductionRefused(ProductionData):
    """A store was refused. It may correct its data and request another review."""

    kind = EmailKind.production_refused

    reason: str

    def content(self) -> Content:
        return Content(
            "Sua liberação para produção precisa de ajustes",
            "Veja o motivo, corrija e envie de novo.",
            Tone.warning,
            "Falta um ajuste para liberar sua loja",
            (f"Analisamos os dados de {self.store_name} e ainda não pudemos liberar a operação em produção.",),
            why=_WHY_PRODUCTION,
            quote=self.reason,
            lines=present(time_line("Analisado em", self.reviewed_at)),
            button=("Ver o que falta", self.link) if self.link else None,
            after=("Corrija o que falta e peça a análise de novo. O ambiente de teste continua à disposição.",),
        )


class ProductionSuspended(ProductionData):
    """A store's live operation was suspended."""

    kind = EmailKind.production_suspended

    reason: str | None = None

    def content(self) -> Content:
        return Content(
            "Operação em produção suspensa",
            f"{self.store_name} não emite novas cobranças de produção por enquanto.",
            Tone.warning,
            "Operação em produção suspensa",
            (
                f"{self.store_name} não pode emitir novas cobranças de produção por enquanto.",
                "O que já foi pago continua registrado, e você ainda pode consultar tudo.",
            ),
            why="Você recebeu este e-mail porque é titular da loja.",
            quote=self.reason or "",
            lines=present(time_line("Suspenso em", self.reviewed_at)),
            button=("Abrir o painel", self.link) if self.link else None,
            after=("Fale com a equipe do serviço para entender o que é preciso.",),
        )


class PasswordReset(TemplateData):
    """Lets a person choose a new password. Only this email holds the token."""

    kind = EmailKind.password_reset
    secrets = ("token", "link")

    email: str
    requested_at: datetime
    expires_at: datetime
    ip: str | None
    token: str
    link: str | None = None
    """The page of the panel that takes it."""

    @property
    def dedupe_key(self) -> str:
        return f"{self.kind}:{hash_token(self.token).hex()[:32]}"

    def content(self) -> Content:
        return Content(
            "Escolha uma nova senha",
            "Não foi você quem pediu? Ignore este e-mail, e nada muda.",
            Tone.plain,
            "Escolha uma nova senha",
            (
                "Pediram uma nova senha para a conta deste e-mail. Informe o código abaixo e a senha que você quer usar.",
            ),
            why="Não foi você quem pediu? Ignore este e-mail: sem o código, a senha continua a mesma.",
            lines=present(
                line("Conta", self.email, exact=True),
                time_line("Solicitado em", self.requested_at),
                line("Endereço IP", self.ip, exact=True),
                time_line("Vale até", self.expires_at),
            ),
            code_label="Código para a nova senha",
            code=self.token,
            button=("Escolher uma nova senha", self.link) if self.link else None,
            after=("O código vale uma vez. Não o passe a ninguém, nem a quem disser que é da equipe do serviço.",),
        )


class PasswordChanged(TemplateData):
    """Notifies the owner of an account of a new password."""

    kind = EmailKind.password_changed

    user_id: str
    email: str
    at: datetime
    ip: str | None
    by_mail: bool
    keys: int = 0
    endpoints: int = 0
    people: int = 0
    """What a reset disabled: API keys, webhook endpoints, team members."""
    link: str | None = None
    """The page of the panel about the account's security."""

    @property
    def dedupe_key(self) -> str:
        return f"{self.kind}:{self.user_id}:{self.at.timestamp():.6f}"

    def content(self) -> Content:
        how, ended = (
            ("com um código enviado a este e-mail", "Todas as sessões foram encerradas.")
            if self.by_mail
            else ("no painel, com a senha anterior", "As outras sessões foram encerradas.")
        )
        return Content(
            "Sua senha foi trocada",
            "Não foi você? Veja o que fazer.",
            Tone.warning,
            "Sua senha foi trocada",
            (f"A senha da sua conta foi trocada {how}. {ended}",),
            why=_WHY_ACCOUNT,
            lines=present(
                line("Conta", self.email, exact=True),
                time_line("Trocada em", self.at),
                line("Endereço IP", self.ip, exact=True),
            ),
            button=("Abrir a segurança da conta", self.link) if self.link else None,
            after=(
                describe_revoked_access(self.keys, self.endpoints, self.people),
                "Não foi você? Peça uma nova senha com este e-mail, troque também a senha do e-mail e fale com a equipe do serviço.",
            ),
        )


def describe_revoked_access(keys: int, endpoints: int, people: int) -> str:
    """What the owner should check after a new password: what a reset disabled, or all that goes on working."""
    off = " e ".join(
        count(number, *names)
        for number, names in ((keys, ("chave de API", "chaves de API")), (endpoints, ("webhook", "webhooks")))
        if number
    )
    if not off and not people:
        return (
            "As chaves de API, os webhooks e a equipe da loja continuam como estavam: confira se você reconhece todos."
        )
    done, todo = [], []
    if off:
        done.append(f"desativamos {off}")
        todo.append("reative o que for seu")
    if people:
        done.append(f"retiramos o acesso ou o convite de {count(people, 'pessoa', 'pessoas')}")
        todo.append("convide de novo quem for da sua equipe")
    return (
        "Ninguém tinha confirmado este e-mail ainda, e outra pessoa podia estar usando a conta. "
        f"Por segurança, {', e '.join(done)}. {' e '.join(todo).capitalize()}."
    )


class TwoFactorChange(StrEnum):
    """A change of an account's two-factor authentication."""

    enabled = "enabled"
    renewed = "renewed"
    """New recovery codes."""
    disabled = "disabled"
    reset = "reset"
    """Removed by a platform admin."""


_TWO_FACTOR_CHANGES = {
    TwoFactorChange.enabled: (
        "Verificação em duas etapas ativada",
        "A partir de agora, o acesso à sua conta pede um código do aplicativo autenticador. As outras sessões abertas foram encerradas.",
    ),
    TwoFactorChange.renewed: (
        "Novos códigos de recuperação",
        "Foram gerados novos códigos de recuperação para a sua conta. Os anteriores não valem mais.",
    ),
    TwoFactorChange.disabled: (
        "Verificação em duas etapas desativada",
        "O acesso à sua conta não pede mais um código.",
    ),
    TwoFactorChange.reset: (
        "Verificação em duas etapas retirada",
        "A equipe do serviço retirou a verificação em duas etapas da sua conta, e as sessões abertas foram encerradas. Entre com a sua senha e ative a verificação de novo.",
    ),
}


class TwoFactorChanged(TemplateData):
    """Notifies the owner of an account of a change of its two-factor authentication."""

    kind = EmailKind.two_factor_changed

    user_id: str
    email: str
    at: datetime
    ip: str | None
    change: TwoFactorChange
    link: str | None = None
    """The page of the panel about the account's security."""

    @property
    def dedupe_key(self) -> str:
        return f"{self.kind}:{self.user_id}:{self.change}:{self.at.timestamp():.6f}"

    def content(self) -> Content:
        title, text = _TWO_FACTOR_CHANGES[self.change]
        return Content(
            title,
            "Não foi você? Veja o que fazer.",
            Tone.good if self.change is TwoFactorChange.enabled else Tone.warning,
            title,
            (text,),
            why=_WHY_ACCOUNT,
            lines=present(
                line("Conta", self.email, exact=True),
                time_line("Quando", self.at),
                line("Endereço IP", self.ip, exact=True),
            ),
            button=("Abrir a segurança da conta", self.link) if self.link else None,
            after=("Não reconhece esta mudança? Troque a sua senha e fale com a equipe do serviço.",),
        )
