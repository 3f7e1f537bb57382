"""Everything that mails say, in Brazilian Portuguese. The templates hold no sentence: one pair draws every kind."""

from collections.abc import Callable
from enum import StrEnum
from typing import Any

from msgspec import Struct

from gateway.resolvers.mail.facts import (
    EndpointFacts,
    Facts,
    Invitation,
    MerchantNotice,
    PasswordChanged,
    PasswordReset,
    PayerReceipt,
    PaymentFacts,
    PaymentRequest,
    ProductionApproved,
    ProductionRefused,
    ProductionSuspended,
    TwoFactorChange,
    TwoFactorChanged,
    WebhookDeliveriesExhausted,
    WebhookEndpointDisabled,
    WebhookEndpointFailing,
    WebhookEndpointGone,
    WithdrawalFacts,
    WithdrawalRejected,
    WithdrawalRequested,
)
from gateway.values.formatting import count, day, moment, reais

BRASILIA = "horário de Brasília"
TEST_NOTICE = "Ambiente de teste: nenhum dinheiro foi movimentado."
ENVIRONMENTS = {"test": "teste", "live": "produção"}


class Tone(StrEnum):
    """How a mail looks at the first glance. The symbol tells it, too: nothing is told by colour alone."""

    good = "good"
    plain = "plain"
    warning = "warning"


class Line(Struct, frozen=True):
    """A fact with its label. `exact`: an identifier or an address, to be copied letter by letter."""

    label: str
    value: str
    small: str = ""
    exact: bool = False


class Content(Struct, frozen=True):
    """What one mail says, from top to bottom. `about`: in whose name, at the head; `why`: why its reader gets it."""

    tone: Tone
    title: str
    lead: tuple[str, ...]
    why: str
    about: str | None = None
    banner: str = ""
    amount: str = ""
    quote: str = ""
    lines: tuple[Line, ...] = ()
    code_label: str = ""
    code: str = ""
    qr_payload: str = ""
    qr_label: str = ""
    button: tuple[str, str] | None = None
    after: tuple[str, ...] = ()


def content_of(facts: Facts) -> Content:
    """What to say of these facts."""
    return _CONTENTS[type(facts)](facts)


def _receipt(facts: PayerReceipt) -> Content:
    return Content(
        Tone.good,
        "Pagamento confirmado",
        (f"{facts.store_name} recebeu o seu Pix.",),
        why=(
            f"Você recebeu este e-mail porque {facts.store_name} enviou este comprovante a este endereço. "
            if facts.copy_id
            else f"Você recebeu este e-mail porque pagou uma cobrança de {facts.store_name}. "
        )
        + ("Dúvidas sobre a compra? Responda a este e-mail." if facts.store_email else ""),
        about=facts.store_name,
        banner=_test_banner(facts),
        amount=reais(facts.amount),
        lines=_present(
            _line("Recebedor", facts.store_name, _labelled("CNPJ", facts.store_document)),
            _line("Pagador", facts.customer_name, _labelled("CPF/CNPJ", facts.customer_document)),
            _line("Descrição", facts.description),
            _line("Valor original", reais(facts.original_amount) if facts.discount_amount else None),
            _line("Desconto", f"−{reais(facts.discount_amount)}" if facts.discount_amount else None),
            *_proof(facts),
        ),
        button=("Ver comprovante", facts.receipt_url),
        after=("Este é um comprovante de pagamento, não é documento fiscal.",),
    )


def _request(facts: PaymentRequest) -> Content:
    return Content(
        Tone.plain,
        "Pague com Pix",
        (f"{facts.store_name} enviou esta cobrança para você.",),
        why=f"Você recebeu este e-mail porque {facts.store_name} enviou esta cobrança a este endereço. "
        "Dúvidas sobre a compra? Responda a este e-mail. Não reconhece a cobrança? Ignore-a: nada acontece.",
        about=facts.store_name,
        banner=_test_banner(facts),
        amount=reais(facts.amount),
        code_label="Pix copia e cola",
        code=facts.pix_code,
        qr_payload=facts.pix_code,
        qr_label=f"QR Code do Pix de {reais(facts.amount)}. É o mesmo pagamento do código copia e cola.",
        button=("Abrir a página de pagamento", facts.checkout_url),
        lines=_present(
            _line("Vale até", moment(facts.expires_at), BRASILIA),
            _line("Recebedor", facts.store_name, _labelled("CNPJ", facts.store_document)),
            _line("Descrição", facts.description),
            _line("Valor original", reais(facts.original_amount) if facts.discount_amount else None),
            _line("Desconto", f"−{reais(facts.discount_amount)}" if facts.discount_amount else None),
            _line("txid", facts.txid, exact=True),
        ),
        after=("Confira o recebedor e o valor no aplicativo do seu banco antes de confirmar.",),
    )


def _notice(facts: MerchantNotice) -> Content:
    fee = facts.fee_amount
    lead = "Um Pix foi confirmado na sua loja."
    late = "O pagamento chegou depois de a cobrança expirar e foi aceito." if facts.paid_late else None
    return Content(
        Tone.good,
        "Você recebeu um pagamento",
        tuple(text for text in (lead, late) if text),
        why="Você recebe um e-mail a cada pagamento. Para parar, desative o aviso de pagamentos no seu perfil (API: notify_payment_email).",
        about=facts.store_name,
        banner=_test_banner(facts),
        amount=reais(facts.amount),
        lines=_present(
            _line("Tarifa do serviço", f"−{reais(fee)}" if fee else None),
            _line("Valor líquido", reais(facts.amount - fee) if fee else None),
            _line("Pagador", facts.customer_name, _labelled("CPF/CNPJ", facts.customer_document)),
            _line("E-mail", facts.customer_email),
            _line("Descrição", facts.description),
            _line("Sua referência", facts.external_reference, exact=True),
            *_proof(facts),
        ),
        button=("Ver comprovante", facts.receipt_url),
    )


def _proof(facts: PaymentFacts) -> tuple[Line | None, ...]:
    return (
        _line("Pago em", moment(facts.paid_at), BRASILIA),
        _line("ID da transação (EndToEndId)", facts.end_to_end_id, exact=True),
        _line("txid", facts.txid, exact=True),
    )


def _disabled(facts: WebhookEndpointDisabled) -> Content:
    return Content(
        Tone.warning,
        "Desativamos este webhook",
        (
            "Há dias nenhum aviso chega a este endereço, apesar de muitas tentativas. Por isso paramos de enviar.",
            "Nada se perde: os avisos de agora em diante ficam guardados por 30 dias no registro de entregas.",
        ),
        why=_WHY_ENDPOINT,
        lines=_endpoint(
            facts,
            _line("Sem sucesso desde", _at(facts.failing_since), BRASILIA if facts.failing_since else ""),
            _line("Desativado em", moment(facts.at), BRASILIA),
        ),
        after=(
            "O que fazer: corrija o servidor, reative o endereço, envie um evento de teste e reenvie os avisos guardados.",
            _DOUBT,
        ),
    )


def _gone(facts: WebhookEndpointGone) -> Content:
    return Content(
        Tone.warning,
        "Seu servidor recusou os avisos",
        (
            "Este endereço respondeu 410 (Gone), que quer dizer “não me envie mais nada”. Por isso o desativamos.",
            "Os avisos de agora em diante ficam guardados por 30 dias no registro de entregas.",
        ),
        why=_WHY_ENDPOINT,
        lines=_endpoint(facts, _line("Desativado em", moment(facts.at), BRASILIA)),
        after=("Foi engano? Corrija a resposta do servidor, reative o endereço e reenvie os avisos guardados.", _DOUBT),
    )


def _failing(facts: WebhookEndpointFailing) -> Content:
    patience = "alguns minutos" if facts.environment == "test" else "até três dias"
    rest = f"Continuamos tentando cada aviso por {patience}."
    if facts.hours == 72:
        rest += " Se nada mudar, o endereço será desativado depois de cinco dias sem nenhum sucesso."
    return Content(
        Tone.warning,
        f"Nenhum aviso chega há {facts.hours} horas",
        ("Todas as entregas a este endereço falharam nesse tempo.", rest),
        why=_WHY_ENDPOINT,
        lines=_endpoint(
            facts,
            _line("Sem sucesso desde", moment(facts.failing_since), BRASILIA),
            _line("Último problema", facts.last_problem),
        ),
        after=("O que fazer: veja as tentativas no registro de entregas e envie um evento de teste.", _DOUBT),
    )


def _exhausted(facts: WebhookDeliveriesExhausted) -> Content:
    now = "O endereço continua ativo." if facts.active else "O endereço está desativado e não recebe mais avisos."
    ended, them = ("deste aviso", "o aviso") if facts.deliveries == 1 else ("destes avisos", "os avisos")
    todo = f"reenvie {them}" if facts.active else f"reative o endereço e reenvie {them}"
    return Content(
        Tone.warning,
        count(facts.deliveries, "aviso não foi entregue", "avisos não foram entregues"),
        (f"Em {day(facts.day)} terminaram as tentativas {ended}. {now}",),
        why=_WHY_ENDPOINT,
        lines=_endpoint(
            facts, _line("Dia", day(facts.day)), _line("Avisos", count(facts.deliveries, "aviso", "avisos"))
        ),
        after=(
            f"O que fazer: corrija o servidor e {todo} pelo registro de entregas, por até 30 dias.",
            _DOUBT,
        ),
    )


_WHY_ENDPOINT = "Você recebeu este e-mail porque é titular da loja que cadastrou este webhook."
_DOUBT = "Em caso de dúvida sobre uma cobrança, consulte GET /pix/status: a API sempre mostra o estado atual."


def _endpoint(facts: EndpointFacts, *more: Line | None) -> tuple[Line, ...]:
    return _present(
        _line("Webhook", facts.name),
        _line("Endereço", facts.url, exact=True),
        _line("Ambiente", ENVIRONMENTS.get(facts.environment, facts.environment)),
        *more,
    )


_ROLES = {
    "admin": "Administração: tudo, menos o que só o titular faz",
    "finance": "Financeiro: consultas, saques e exportações",
    "operator": "Operação: cobranças, clientes, produtos, cupons, links e assinaturas",
    "viewer": "Leitura: somente consultas",
}


def _invitation(facts: Invitation) -> Content:
    return Content(
        Tone.plain,
        f"Entre na equipe de {facts.store_name}",
        (f"{facts.inviter_name} convidou você para trabalhar na loja {facts.store_name}.",),
        why="Não esperava este convite? Ignore este e-mail: sem o aceite nada acontece.",
        about=facts.store_name,
        lines=_present(
            _line("Seu papel", _ROLES[facts.role]),
            _line("Vale até", moment(facts.expires_at), BRASILIA),
        ),
        code_label="Código do convite",
        code=facts.token,
        button=("Aceitar convite", facts.link) if facts.link else None,
        after=("Entre com a conta deste e-mail, ou crie uma, e aceite. O convite é pessoal: não o encaminhe.",),
    )


_WHY_PRODUCTION = "Você recebeu este e-mail porque pediu a liberação da sua loja para produção."


def _approved(facts: ProductionApproved) -> Content:
    return Content(
        Tone.good,
        "Sua loja está liberada",
        (f"A análise terminou, e {facts.store_name} já pode emitir cobranças de verdade.",),
        why=_WHY_PRODUCTION,
        lines=_present(_line("Analisado em", moment(facts.reviewed_at), BRASILIA)),
        after=(
            "Próximos passos: mude a sessão para produção, crie uma chave de API e cadastre seus webhooks de produção.",
            "O ambiente de teste continua à disposição.",
        ),
    )


def _refused(facts: ProductionRefused) -> Content:
    return Content(
        Tone.warning,
        "Falta um ajuste para liberar sua loja",
        (f"Analisamos os dados de {facts.store_name} e ainda não pudemos liberar a operação em produção.",),
        why=_WHY_PRODUCTION,
        quote=facts.reason,
        lines=_present(_line("Analisado em", moment(facts.reviewed_at), BRASILIA)),
        after=("Corrija o que falta e peça a análise de novo. O ambiente de teste continua à disposição.",),
    )


def _suspended(facts: ProductionSuspended) -> Content:
    return Content(
        Tone.warning,
        "Operação em produção suspensa",
        (
            f"{facts.store_name} não pode emitir novas cobranças de produção por enquanto.",
            "O que já foi pago continua registrado, e você ainda pode consultar tudo.",
        ),
        why="Você recebeu este e-mail porque é titular da loja.",
        quote=facts.reason or "",
        lines=_present(_line("Suspenso em", moment(facts.reviewed_at), BRASILIA)),
        after=("Fale com a equipe do serviço para entender o que é preciso.",),
    )


def _requested(facts: WithdrawalRequested) -> Content:
    return Content(
        Tone.plain,
        "Saque solicitado",
        ("Pediram um saque do saldo da sua loja. O valor fica reservado até que ele termine.",),
        why=_WHY_WITHDRAWAL,
        banner=_test_banner(facts),
        amount=reais(facts.amount),
        lines=_withdrawal(
            facts, _line("Solicitado por", facts.asked_by), _line("Solicitado em", moment(facts.at), BRASILIA)
        ),
        after=(
            "Não reconhece este saque? Desative as chaves de API, troque a sua senha e fale com a equipe do serviço.",
        ),
    )


def _rejected(facts: WithdrawalRejected) -> Content:
    return Content(
        Tone.warning,
        "O saque não foi concluído",
        ("O dinheiro não saiu, e o valor está de novo disponível no saldo da sua loja.",),
        why=_WHY_WITHDRAWAL,
        banner=_test_banner(facts),
        amount=reais(facts.amount),
        quote=facts.reason,
        lines=_withdrawal(facts, _line("Recusado em", moment(facts.at), BRASILIA)),
        after=("Confira a chave Pix e peça o saque de novo.",),
    )


_WHY_WITHDRAWAL = "Você recebeu este e-mail porque é titular da loja."


def _withdrawal(facts: WithdrawalFacts, *more: Line | None) -> tuple[Line, ...]:
    return _present(
        _line("Chave Pix", facts.pix_key, exact=True), *more, _line("Saque", facts.withdrawal_id, exact=True)
    )


def _reset(facts: PasswordReset) -> Content:
    return Content(
        Tone.plain,
        "Escolha uma nova senha",
        ("Pediram uma nova senha para a conta deste e-mail. Informe o código abaixo e a senha que você quer usar.",),
        why="Não foi você quem pediu? Ignore este e-mail: sem o código, a senha continua a mesma.",
        lines=_present(
            _line("Conta", facts.email, exact=True),
            _line("Solicitado em", moment(facts.asked_at), BRASILIA),
            _line("Endereço IP", facts.ip, exact=True),
            _line("Vale até", moment(facts.expires_at), BRASILIA),
        ),
        code_label="Código para a nova senha",
        code=facts.token,
        after=("O código vale uma vez. Não o passe a ninguém, nem a quem disser que é da equipe do serviço.",),
    )


_WHY_ACCOUNT = "Você recebeu este e-mail porque é titular da conta."


def what_is_open(keys: int, endpoints: int, people: int) -> str:
    """What to look at after a new password: what goes on working, or was switched off because
    it could be somebody else's.
    """
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


def _password_changed(facts: PasswordChanged) -> Content:
    how, ended = (
        ("com um código enviado a este e-mail", "Todas as sessões foram encerradas.")
        if facts.by_mail
        else ("no painel, com a senha anterior", "As outras sessões foram encerradas.")
    )
    return Content(
        Tone.warning,
        "Sua senha foi trocada",
        (f"A senha da sua conta foi trocada {how}. {ended}",),
        why=_WHY_ACCOUNT,
        lines=_present(
            _line("Conta", facts.email, exact=True),
            _line("Trocada em", moment(facts.at), BRASILIA),
            _line("Endereço IP", facts.ip, exact=True),
        ),
        after=(
            what_is_open(facts.keys, facts.endpoints, facts.people),
            "Não foi você? Peça uma nova senha com este e-mail, troque também a senha do e-mail e fale com a equipe do serviço.",
        ),
    )


_TWO_FACTOR_CHANGES = {
    TwoFactorChange.enabled: "A partir de agora, o acesso à sua conta pede um código do aplicativo autenticador. As outras sessões abertas foram encerradas.",
    TwoFactorChange.renewed: "Foram gerados novos códigos de recuperação para a sua conta. Os anteriores não valem mais.",
    TwoFactorChange.disabled: "O acesso à sua conta não pede mais um código.",
    TwoFactorChange.reset: "A equipe do serviço retirou a verificação em duas etapas da sua conta, e as sessões abertas foram encerradas. Entre com a sua senha e ative a verificação de novo.",
}


def _two_factor_changed(facts: TwoFactorChanged) -> Content:
    return Content(
        Tone.good if facts.change is TwoFactorChange.enabled else Tone.warning,
        facts.subject,
        (_TWO_FACTOR_CHANGES[facts.change],),
        why=_WHY_ACCOUNT,
        lines=_present(
            _line("Conta", facts.email, exact=True),
            _line("Quando", moment(facts.at), BRASILIA),
            _line("Endereço IP", facts.ip, exact=True),
        ),
        after=("Não reconhece esta mudança? Troque a sua senha e fale com a equipe do serviço.",),
    )


_CONTENTS: dict[type[Facts], Callable[[Any], Content]] = {
    PayerReceipt: _receipt,
    PaymentRequest: _request,
    MerchantNotice: _notice,
    WebhookEndpointDisabled: _disabled,
    WebhookEndpointGone: _gone,
    WebhookEndpointFailing: _failing,
    WebhookDeliveriesExhausted: _exhausted,
    Invitation: _invitation,
    ProductionApproved: _approved,
    ProductionRefused: _refused,
    ProductionSuspended: _suspended,
    WithdrawalRequested: _requested,
    WithdrawalRejected: _rejected,
    PasswordReset: _reset,
    PasswordChanged: _password_changed,
    TwoFactorChanged: _two_factor_changed,
}


def _line(label: str, value: str | None, small: str = "", *, exact: bool = False) -> Line | None:
    return Line(label, value, small, exact) if value else None


def _present(*lines: Line | None) -> tuple[Line, ...]:
    return tuple(line for line in lines if line is not None)


def _labelled(label: str, value: str | None) -> str:
    return f"{label} {value}" if value else ""


def _at(value: Any) -> str | None:
    return moment(value) if value else None


def _test_banner(facts: PaymentFacts | PaymentRequest | WithdrawalFacts) -> str:
    return TEST_NOTICE if facts.environment == "test" else ""
