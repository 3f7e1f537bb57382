"""The table of `docs/errors.md`: status and codigo from `gateway.errors`, cause and fix from here."""

from collections.abc import Iterator

from gateway.errors import GatewayError, Unauthenticated

OF_THE_SERVER = ("408", "431", "500")
"""Answers of the HTTP server, which are no `GatewayError`."""
TEXTS = {
    "400": (
        "Fields are missing or invalid (`campos` lists them), the body is not a JSON object, or a JSON key or query parameter is repeated.",
        "Correct the fields and send again.",
    ),
    "400 VALOR_MINIMO": (
        "The amount, or the price after the coupon, is below R$ 5.00. `valor_minimo` is the minimum. `campos` lists other errors.",
        "Charge at least that.",
    ),
    "400 EXPIRACAO_INVALIDA": (
        "`expires_at` is not a date, or passed more than a minute ago.",
        "Send a [date or timestamp](dates.md) in the future.",
    ),
    "400 CHAVE_PIX_INVALIDA": (
        "`pix_key` does not match its `pix_key_type`.",
        "Send the complete key: see the [formats](withdrawals.md#pix-keys).",
    ),
    "400 VALOR_DEVOLVIDO": (
        "`amount` is more than what is left of the payment, in `disponivel`.",
        "Send less, or no `amount`. Read `refunds` of the charge first.",
    ),
    "400 CUPOM_INATIVO": (
        "The coupon is inactive.",
        "Use another, or none.",
    ),
    "400 CUPOM_NAO_INICIADO": (
        "Its `starts_at` is in the future.",
        "Wait until then.",
    ),
    "400 CUPOM_EXPIRADO": (
        "Its `expires_at` has passed.",
        "Use another, or none.",
    ),
    "400 CUPOM_ESGOTADO": (
        "All its uses are taken by charges that are pending, paid or refunded, in all or for this CPF or CNPJ. `reservado_ate` says when a pending charge releases one.",
        "Use another, or none. A pending charge releases its use when it expires, is canceled or is [ended](concepts.md#ending-a-charge).",
    ),
    "400 CUPOM_NAO_APLICAVEL": (
        "It applies to other products or a larger amount, or the payment link takes no coupons.",
        "Use another, or none.",
    ),
    "401": (
        "The credential is missing, unknown, revoked, expired or [ended](accounts.md#open-sessions). The three texts are {credential_texts}. If `error` is an object, the identity service rejected a [Google login](accounts.md#logging-in-with-google).",
        "Send `Authorization: Bearer …`, log in again, or use an active key.",
    ),
    "401 CREDENCIAIS_INVALIDAS": (
        "Wrong email address or password.",
        "Try again. After ten failures in 15 minutes, logins to this address from this network have to wait.",
    ),
    "401 SEGUNDO_FATOR_EXIGIDO": (
        "The password (or Google login) is correct, and the account has [two-factor login](accounts.md#two-factor-login). `desafio` is for the second step, until `expira_em`.",
        "Ask for a code, and send both to `POST /auth/login/code`.",
    ),
    "401 DESAFIO_INVALIDO": (
        "The `challenge` is unknown or older than five minutes, or the account has logged in or changed its password or second factor since.",
        "Log in again.",
    ),
    "401 CODIGO_INVALIDO": (
        "The code is wrong or was used before. Also for recovery codes.",
        "Wait for the app's next code. If all fail, check the phone's clock. After ten tries in 15 minutes, this network has to wait.",
    ),
    "403": (
        "The caller may not do this.",
        "Use another credential.",
    ),
    "403 SOMENTE_PAINEL": (
        "The operation needs a session, such as creating API keys or webhook endpoints.",
        "Use the session of the store's owner.",
    ),
    "403 SOMENTE_TITULAR": (
        "Only the store's owner may do this.",
        "Ask the owner.",
    ),
    "403 SOMENTE_ADMIN": (
        "The operation is for platform admins.",
        "None: it is not for merchants.",
    ),
    "403 PERMISSAO_NEGADA": (
        "The caller's role in the store does not allow it: see [permissions](permissions.md).",
        "Ask the owner for another role.",
    ),
    "403 LOJA_NAO_AUTORIZADA": (
        "`x-store` names a store where the caller is not a member, or that does not exist.",
        "Take an id of `GET /stores`, or omit the header.",
    ),
    "403 ESCOPO_INSUFICIENTE": (
        "The API key lacks the [scope](accounts.md#api-keys-with-scopes) in `escopo`. If that is null, only a key without scopes may do this.",
        "Use a key with that scope, or create one. Scopes of a key do not change.",
    ),
    "403 SEGUNDO_FATOR_OBRIGATORIO": (
        "The service requires two-factor login of platform admins, and this account has none.",
        "[Set it up](accounts.md#two-factor-login). Other operations work without it.",
    ),
    "403 PRODUCAO_NAO_LIBERADA": (
        "A live API key of a store without production approval. `producao` shows the status.",
        "Use a test key until the store is approved.",
    ),
    "404": (
        "The path or record does not exist, or belongs to another store or environment.",
        "Check the id and the environment of the credential.",
    ),
    "405": (
        "The path exists with other methods, listed in `Allow`. Also for a GraphQL mutation over `GET`.",
        "Use one of those methods.",
    ),
    "406": (
        "The address has no format that `Accept` names. `/graphql` has `application/json` and `application/graphql-response+json`.",
        "Name one of them, or omit the header.",
    ),
    "408": (
        "The request arrived too slowly. It has twenty seconds, and one more for every 500 bytes. The connection is closed.",
        "Send it without pauses.",
    ),
    "409": (
        "The request conflicts with the present state, for example paying a charge that cannot be paid, or opening a second [receiving account](receiving.md).",
        "Read the record, then decide.",
    ),
    "409 EMAIL_JA_CADASTRADO": (
        "An account with this email address exists. Case is ignored.",
        "Log in. With Google, send the account's password too, once.",
    ),
    "409 PRODUCAO_NAO_LIBERADA": (
        "A live operation in a session of a store without approval. `producao` shows the status.",
        "Work in test until the store is approved.",
    ),
    "409 PRODUCAO_EM_ANALISE": (
        "The approval request is under review. Until the decision, requests and documents cannot be sent.",
        "Wait.",
    ),
    "409 SEM_ANALISE_PENDENTE": (
        "An admin decided on a store that has no pending request, perhaps because another admin decided first.",
        "Read the merchant again.",
    ),
    "409 SUBCONTA_INEXISTENTE": (
        "The store needs a receiving account in this environment and has none. `aprovacao` is empty.",
        "[Open one](receiving.md).",
    ),
    "409 SUBCONTA_NAO_APROVADA": (
        "The engine has not approved the store's account, or withdrew the approval. `aprovacao` shows the status.",
        "Send what is missing through `link_documentos`, or wait.",
    ),
    "409 SOMENTE_TESTE": (
        "Simulated payments, simulated account reviews, the test clock and the test receiver exist only in test.",
        "Use a test credential.",
    ),
    "409 REFERENCIA_DUPLICADA": (
        "A pending or paid charge, or a subscription that is not canceled, has this `external_reference`; `id` names it. Without an `id`, a charge with it is [being issued](idempotency.md#when-another-order-is-under-way).",
        "Read that record. Without an `id`, send the same request again shortly.",
    ),
    "409 MUITAS_REFERENCIAS": (
        "More than 500 records refer to the record to be deleted; see `referencias` and `limite`.",
        "Deactivate it instead, or cancel the subscription. Customers can be changed with `PUT`.",
    ),
    "409 SKU_DUPLICADO": (
        "Another product has this `sku`. Case is ignored. `campos` names the field.",
        "Use another, or change that product.",
    ),
    "409 CUPOM_DUPLICADO": (
        "Another coupon has this code. Case is ignored.",
        "Use another, or change that coupon.",
    ),
    "409 COBRANCA_ENCERRADA": (
        "The charge cannot be ended or sent: it is paid, canceled, refunded or (to send it) expired, or its payment is under review.",
        "Read it. Issue another if there is still something to pay.",
    ),
    "409 COBRANCA_NAO_PAGA": (
        "Only a paid charge is refunded.",
        "[End](concepts.md#ending-a-charge) a pending one instead.",
    ),
    "409 PRAZO_DE_DEVOLUCAO": (
        "The payment is more than 90 days old.",
        "Send the money to the payer from your bank.",
    ),
    "409 DEVOLUCAO_INDISPONIVEL": (
        "The charge's engine has no refunds, or the payment is disputed at the bank.",
        "Refund it from your bank. If it is disputed, wait for the result.",
    ),
    "409 ASSINATURA_CANCELADA": (
        "A canceled subscription cannot be charged.",
        "Make it active first.",
    ),
    "409 JOB_EM_EXECUCAO": (
        "The billing job is already running.",
        "Wait for it: it does the same work.",
    ),
    "409 REPASSE_MANUAL": (
        "Withdrawals do not exist where the service receives into a single account.",
        "None: platform admins repay you.",
    ),
    "409 SALDO_INSUFICIENTE": (
        "The withdrawal, or the refund, exceeds the available balance in `disponivel`.",
        "Request less.",
    ),
    "409 SAQUE_EM_ANDAMENTO": (
        "The store has a withdrawal in progress; `id` names it.",
        "Wait for its end, which is an [event](webhooks.md#events).",
    ),
    "409 RELOGIO_EM_AVANCO": (
        "The test clock is already advancing.",
        "Poll it until it is `ready`, then advance it.",
    ),
    "409 SEGUNDO_FATOR_ATIVO": (
        "The account already has a second factor.",
        "Disable it first to set up another app.",
    ),
    "409 SEGUNDO_FATOR_INATIVO": (
        "The account has no second factor, or none to confirm: setup was not started, or started more than 30 minutes ago.",
        "Start with `POST /auth/two-factor`.",
    ),
    "409 LINK_INDISPONIVEL": (
        "A live payment link of a store without production approval, or a product that costs less than R$ 5,00.",
        "The store needs approval, or another price (`unpayable_reason` of the link).",
    ),
    "409 IDEMPOTENCIA_CONFLITO": (
        "The `Idempotency-Key` was used with another body within 24 hours.",
        "Use a new key for a new request.",
    ),
    "409 IDEMPOTENCIA_EM_ANDAMENTO": (
        "A request with this `Idempotency-Key` is still running.",
        "Wait a second and send the same again.",
    ),
    "410 LINK_ENCERRADO": (
        "The payment link has expired or is used up. `reservado_ate` says when a pending charge releases a use.",
        "Ask the store for another link, or return then. A payer with a pending charge gets it by ordering again with the same document and email address.",
    ),
    "413": (
        "The body is larger than 1 MiB, or a document larger than 10 MB.",
        "Send less.",
    ),
    "415": (
        "The body is not `application/json`, or a document not `multipart/form-data`.",
        "Set that `Content-Type`.",
    ),
    "429": (
        "Too many attempts. `Retry-After` and the `RateLimit-*` headers say when to try again.",
        "Wait that long.",
    ),
    "431": (
        "Request line and headers exceed 64 KiB. The connection is closed.",
        "Send less.",
    ),
    "500": (
        "Unexpected failure. `id` is the request's id in the log.",
        "Retry later, with an `Idempotency-Key`. Report the `id`.",
    ),
    "501": (
        "The service is not configured for this: no document storage, or no identity service.",
        "Ask the operator.",
    ),
    "502": (
        "The engine refused, failed or was unreachable, and no charge exists. `POST /pix/cancel` and `POST /pix/refund` always return this. `POST /auth/google`: the identity service does not respond.",
        "If `message` says `Tente novamente`, issue again. Otherwise `message` has the engine's reason: correct it and issue again. Do not repeat a cancel or refund: [end the charge](concepts.md#ending-a-charge), or [give the money back](concepts.md#giving-money-back).",
    ),
    "503": (
        "Health routes: the database is unavailable, read-only or not migrated. Documents: the storage is unavailable. A [CSV export](lists.md#csv) waited 50 seconds for the store's other exports. A GraphQL request exceeded 30 seconds.",
        "Check the database or storage. Retry the export after `Retry-After`. Split the GraphQL request.",
    ),
}


def errors_table() -> str:
    """Every error once, in the order of the texts. Raises SystemExit where texts and errors differ."""
    known = {f"{error.status} {error.codigo or ''}".strip() for error in _tree(GatewayError)} | set(OF_THE_SERVER)
    if difference := sorted(known ^ TEXTS.keys()):
        raise SystemExit(f"errors without a text, or texts without an error: {', '.join(difference)}")
    messages = dict.fromkeys(error.default_message for error in _tree(Unauthenticated))
    *others, last = (f"`{message}`" for message in messages)
    credential_texts = f"{', '.join(others)} and {last}"
    rows = ["| status | codigo | cause | fix |", "|---|---|---|---|"]
    for key, (cause, fix) in TEXTS.items():
        status, _, codigo = key.partition(" ")
        code, reason = f"`{codigo}`" if codigo else "–", cause.replace("{credential_texts}", credential_texts)
        rows.append(f"| {status} | {code} | {reason} | {fix} |")
    return "\n".join(rows)


def _tree(error: type[GatewayError]) -> Iterator[type[GatewayError]]:
    for child in error.__subclasses__():
        yield child
        yield from _tree(child)
