"""All texts of the pages, in Brazilian Portuguese. Templates and script have none of their own."""

from types import MappingProxyType
from typing import Final

from msgspec import Struct

TEXT: Final = MappingProxyType(
    {
        # Every page
        "pay_with": "Pagamento com Pix",
        "payment_by": "Pagamento com",
        "store_document": "CNPJ",
        "test_banner": "Ambiente de teste: nenhum dinheiro é movimentado.",
        "footer": "Você paga no aplicativo do seu banco. Nunca pedimos senhas nem dados de cartão.",
        # A link
        "total": "Total",
        "price": "Preço",
        "discount": "Desconto",
        "coupon_ask": "Tem um cupom?",
        "coupon": "Código do cupom",
        "coupon_apply": "Aplicar",
        "coupon_remove": "Remover cupom",
        "coupon_applied": "Cupom {code} aplicado: {discount} de desconto.",
        "coupon_removed": "Cupom removido. Total: {total}.",
        "payer": "Seus dados",
        "payer_why": "O Pix precisa identificar quem paga.",
        "name": "Nome completo",
        "email": "E-mail",
        "document": "CPF ou CNPJ",
        "document_letters": "CNPJ com letras",
        "phone": "Celular com DDD",
        "optional": "opcional",
        "pay": "Gerar Pix de {amount}",
        "paying": "Gerando seu Pix…",
        "correct_fields": "Confira os campos marcados.",
        "error": "Erro:",
        "link_ends": "Esta oferta vale até {moment}.",
        "need_name": "Informe seu nome completo.",
        "need_email": "Informe seu e-mail.",
        "bad_email": "Confira o e-mail: falta algo como nome@exemplo.com.",
        "need_document": "Informe seu CPF ou CNPJ.",
        "bad_document": "Confira os números: este CPF ou CNPJ não é válido.",
        "bad_phone": "Informe um telefone do Brasil com DDD.",
        "need_coupon": "Digite o código do cupom.",
        "offline": "Sem conexão agora. O que você digitou continua aqui: tente de novo.",
        # A link that is closed
        "own_charge": "Já gerou um Pix aqui?",
        "own_charge_why": "Informe os mesmos dados para voltar a ele.",
        "find_own_charge": "Voltar ao meu Pix",
        "finding": "Procurando seu Pix…",
        "no_pending_charge": "Não há Pix à espera de pagamento com este documento e este e-mail neste link.",
        # A pending charge
        "to_pay": "Valor a pagar para {store}",
        "saving": "De {original}, com {discount} de desconto",
        "discount_dropped": "O desconto deste link se esgotou. Confira o valor antes de pagar.",
        "copy_title": "Pix copia e cola",
        "copy_why": "Copie o código e cole no aplicativo do seu banco.",
        "copy_code": "Copiar código Pix",
        "copied": "Código copiado",
        "copied_announcement": "Código Pix copiado. Agora abra o aplicativo do seu banco e cole em Pix copia e cola.",
        "copy_failed": "Não deu para copiar sozinho. O código está selecionado: copie pelo menu do aparelho.",
        "code_label": "Código Pix copia e cola",
        "scan_title": "QR Code",
        "scan_why": "Abra o app do banco em outro aparelho e aponte a câmera.",
        "qr_alt": "QR Code do Pix de {amount} para {store}. É o mesmo pagamento do código copia e cola desta página.",
        "steps": (
            "Abra o aplicativo do seu banco e escolha Pix.",
            "Escolha Pix copia e cola, cole o código e confira o valor e a loja.",
            "Confirme. Esta página avisa sozinha quando o pagamento chegar.",
        ),
        "steps_title": "Como pagar",
        "expires": "Vale até {moment}",
        "time_left": "Expira em",
        "minutes_left": "Faltam {minutes} minutos para este Pix expirar.",
        "minute_left": "Falta 1 minuto para este Pix expirar.",
        "waiting": "Aguardando pagamento",
        "waiting_offline": "Sem conexão. Continuamos verificando.",
        "check_now": "Já paguei, atualizar",
        "checked": "Verificamos às {time}: o pagamento ainda não chegou. Costuma levar poucos segundos.",
        "give_up": "Desistir e voltar à loja",
        "simulate": "Simular pagamento",
        "simulate_offline": "Sem conexão agora: tente de novo.",
        # A charge that has ended
        "expired_title": "Este Pix expirou",
        "expired_body": "O código não vale mais: não pague por ele. {hint}",
        "hint_renew": "Gere um novo para continuar a compra.",
        "hint_ask": "Peça um novo à loja para continuar a compra.",
        "expired_paid": "Já pagou? O aviso do banco pode demorar um pouco, e esta página se atualiza quando ele chegar.",
        "renew": "Gerar novo Pix",
        "canceled_title": "Este Pix foi cancelado",
        "canceled_body": "O código não vale mais: não pague por ele. {hint}",
        "paid_title": "Pagamento confirmado",
        "paid_body": "{store} recebeu {amount}.",
        "paid_test": "Pagamento de teste: este comprovante não tem valor.",
        "refunded_title": "Pagamento devolvido",
        "refunded_body": "O valor de {amount} voltou para a conta de onde saiu.",
        "partly_refunded": "Depois, {amount} voltaram para a conta de onde o Pix saiu.",
        "receipt": "Comprovante",
        "refunded_amount": "Devolvido",
        "paid_at": "Pago em",
        "description": "Descrição",
        "receiver": "Recebedor",
        "payer_line": "Pagador",
        "end_to_end_id": "ID da transação (EndToEndId)",
        "txid": "txid",
        "brasilia": "horário de Brasília",
        "print": "Imprimir comprovante",
        "back_to_store": "Voltar para a loja",
        "returning": "Voltando para a loja em {seconds} s.",
        "returning_announcement": "Pagamento confirmado. Você volta para a loja em {seconds} segundos. Para ficar nesta página, toque nela ou aperte qualquer tecla.",
        "stay": "Ficar nesta página",
        "stayed": "Você continua nesta página.",
        "try_again": "Tentar de novo",
        "back_to_form": "Voltar ao pagamento",
        "review_title": "Pagamento em análise no banco",
        "review_body": "Seu pagamento foi feito e está em análise no banco, por até 72 horas. Não pague de novo.",
        "review_ends": "Esta página se atualiza quando a análise acabar. Se o banco não confirmar, o valor volta para a sua conta.",
        "review_announcement": "Pagamento em análise no banco.",
        "expired_announcement": "Este Pix expirou.",
        "canceled_announcement": "Este Pix foi cancelado.",
        "paid_announcement": "Pagamento confirmado.",
        "refunded_announcement": "Pagamento devolvido.",
    }
)


# Texts of the server, in no template
COUPON_BELOW_MINIMUM: Final = "Com este cupom sobra menos de {minimum}, o mínimo para pagar com Pix."
BELOW_MINIMUM: Final = "O valor desta compra é menor que {minimum}, o mínimo para pagar com Pix. Fale com a loja."
PRICE_CHANGED: Final = (
    "O preço mudou enquanto você preenchia. Confira o novo valor e, se estiver de acordo, gere o Pix."
)


class ErrorMessage(Struct, frozen=True):
    """The text of an error page."""

    title: str
    body: str
    advice: str = ""
    is_temporary: bool = False
    """Whether a later retry may succeed."""
    has_page: bool = False
    """Whether the link has a page, and only this request failed."""


NOT_FOUND = ErrorMessage(
    "Não encontramos esta página",
    "O link pode estar incompleto ou ter sido desativado pela loja.",
    "Confira o endereço ou peça um novo link à loja.",
)
UNREADABLE = ErrorMessage(
    "Não conseguimos ler o formulário",
    "O que foi enviado chegou de um jeito que esta página não entende, e nada foi cobrado.",
    "Volte à página do pagamento e preencha de novo.",
    has_page=True,
)
TOO_LARGE = ErrorMessage(
    "O formulário é grande demais",
    "O que foi enviado é maior do que esta página aceita, e nada foi cobrado.",
    "Volte à página do pagamento e preencha de novo.",
    has_page=True,
)
LINK_CLOSED = ErrorMessage(
    "Este link foi encerrado",
    "O prazo ou a quantidade de pagamentos deste link acabou.",
    "Peça um novo link à loja.",
)
LINK_HELD = ErrorMessage(
    "Este link está reservado",
    "Os pagamentos deste link estão reservados por quem gerou um Pix e ainda não pagou.",
    "Se não forem pagos, o link volta a aceitar pagamentos em {until} (horário de Brasília).",
)
LINK_UNAVAILABLE = ErrorMessage(
    "Pagamento indisponível no momento",
    "Este link está temporariamente indisponível.",
    "Tente mais tarde ou fale com a loja.",
    is_temporary=True,
)
LINK_TOO_CHEAP = ErrorMessage("Este link não pode ser pago", BELOW_MINIMUM)
TOO_MANY = ErrorMessage(
    "Muitas tentativas",
    "Recebemos muitas tentativas da sua rede em pouco tempo.",
    "Aguarde {waiting} e tente de novo. Se você já pagou, seu pagamento não se perde.",
    is_temporary=True,
)
ENGINE_DOWN = ErrorMessage(
    "O banco não respondeu",
    "Não foi possível concluir agora, e nada foi cobrado.",
    "Tente de novo em instantes.",
    is_temporary=True,
)
METHOD_NOT_ALLOWED = ErrorMessage(
    "Esta página não abre assim",
    "Este endereço só responde aos botões da página do pagamento, e nada foi cobrado.",
    "Volte à página do pagamento e continue por lá.",
    has_page=True,
)
REFUSED = ErrorMessage("Não foi possível atender", "{message}", has_page=True)
BROKEN = ErrorMessage(
    "Algo deu errado por aqui",
    "A falha foi registrada e nada foi cobrado por causa dela.",
    "Tente de novo em instantes. Se precisar de ajuda, informe o código {code}.",
    is_temporary=True,
)
