"""Portuguese descriptions of the operations, and their specific errors; `responses` derives the general ones."""

from msgspec import Struct

from gateway.errors import (
    ArchiveNotConfigured,
    ArchiveUnavailable,
    ChallengeInvalid,
    ChargeEnded,
    ChargeNotPaid,
    ClockInProgress,
    Conflict,
    CouponExhausted,
    CouponExpired,
    CouponInactive,
    CouponNotApplicable,
    CouponNotStarted,
    DuplicateCoupon,
    DuplicateReference,
    DuplicateSku,
    EmailTaken,
    EngineFailed,
    GatewayError,
    IdentityNotConfigured,
    IdentityRefused,
    IdentityUnavailable,
    InsufficientBalance,
    InvalidExpiry,
    InvalidPixKey,
    LinkUnavailable,
    LiveNotApproved,
    ManualRepayment,
    MinimumAmount,
    NotFound,
    NothingToReview,
    OwnerOnly,
    PaymentLinkInactive,
    RateLimited,
    RefundTooLarge,
    RefundTooLate,
    RefundUnavailable,
    SecondFactorNeeded,
    SecondFactorOff,
    SecondFactorOn,
    SubaccountMissing,
    SubaccountNotApproved,
    SubscriptionCanceled,
    TestOnly,
    TooManyReferences,
    UnderReview,
    Unhealthy,
    WithdrawalInProgress,
    WrongCode,
    WrongCredentials,
)


class Description(Struct, frozen=True):
    """One operation. `about` is Markdown; `succeeds` is False for what the specification always refuses."""

    summary: str
    about: str = ""
    errors: tuple[type[GatewayError], ...] = ()
    succeeds: bool = True


_ISSUE = (
    "No modo **manual** envie `amount`, `description` e o pagador: `customer_id`, ou nome, e-mail e documento. Com "
    "`product_id` o preço vem do produto. Na resposta, `pix_code` é o copia e cola e `qr_code_url` a imagem a mostrar."
)
_REFUSED = "Responde sempre 502: a operação não é executada na origem. A tentativa fica na auditoria e nada muda. "
_NO_CANCEL = _REFUSED + "Para encerrar uma cobrança pendente, use `POST /pix/{id}/expire`."
_NO_REFUND = _REFUSED + "Para devolver o valor ao pagador, use `POST /refunds`."
_END = (
    "Passa a `expired` agora: os usos de cupom e link ficam livres e o provedor deixa de aceitar o código. Uma que já expirou "
    "responde 200, sem mudança. Um pagamento que já estava a caminho ainda vale, como o de qualquer cobrança expirada."
)
_SEND = (
    "Ao pagador, ou a `email`: valor, copia e cola, QR Code e página enquanto pendente; o recibo depois de paga. Até 5 por "
    "cobrança e 20 por endereço em 24 horas. No teste, só se o serviço envia recibos de teste; senão um `aviso` diz que não."
)
_KEY_ONCE = "A chave completa só aparece nesta resposta."
_SCOPES = (
    "Com `scopes`, a chave só faz o que eles permitem: `read` lê, `charges` cobra, `catalogue` cuida do catálogo, `withdrawals` "
    "saca, `refunds` devolve. Com `expires_at`, só até lá."
)
_SHOWN_THIS_ONCE = "O segredo só aparece nesta resposta."
_DIFFERENCES = (
    "O que a conciliação e os avisos dos provedores acharam e não se resolve sozinho, de todas as lojas e dos dois ambientes. "
    "Com `page`, `limit` ou `after` vem `pagination`; sem eles, tudo, até 5000."
)
_RESOLVE = (
    "Não muda a cobrança. A nota fica na auditoria da loja; a mesma diferença só volta se algo mudar no provedor."
)
_LIST = "Com `page`, `limit` ou `after` vem `pagination`; sem eles, tudo, até 5000."
_PAGES = "Sempre em páginas, da mais nova à mais antiga."

_REPLAY = (
    "Reenvia as entregas esgotadas e canceladas desde `since`, de até 30 dias atrás, das mais antigas para as mais novas e "
    "até 10000 por requisição, espaçadas para não atrasar os eventos novos. Se `has_more`, repita."
)

_COUPONS = (CouponInactive, CouponNotStarted, CouponExpired, CouponExhausted, CouponNotApplicable)
_UNPLACED = (SubaccountMissing, SubaccountNotApproved)
_LINKS = (NotFound, LinkUnavailable, PaymentLinkInactive, RateLimited)
_FOR_PAYERS = "Sem credencial. Nada mostra o e-mail, o telefone ou o documento inteiro do pagador."
_PAY = (
    "Sem credencial. O corpo aceita também `name`, `email`, `cpf` e `phone`. A cobrança nasce no ambiente do link. O mesmo "
    "pagador no mesmo link, (documento e e-mail) recebe a sua cobrança pendente. São 10 por endereço a cada 10 minutos."
)
_ONLY_SENT = "Só muda o que foi enviado; vazio ou nulo limpa."
_USES = "As cobranças ficam, sem o vínculo; com mais de 500 vínculos, desative em vez de excluir."

_SUBSCRIBE = (
    "`amount` e `customer_name` são obrigatórios; com `customer_id`, o cliente cadastrado completa o pagador. A primeira "
    "cobrança é em `next_billing_at` ou, sem ele, daqui a um intervalo. A mensal guarda o dia: 31 jan, 28 fev, 31 mar. Com "
    "`interval_count` cobra a cada tantos intervalos."
)
_RESCHEDULE = (
    "Só muda o que foi enviado. `next_billing_at` tem de ser uma data futura; a mesma data de antes não muda nada. De volta "
    "a `active` sem data, ou com uma que já passou, a próxima cobrança é daqui a um intervalo. Um `interval` ou "
    "`interval_count` novo conta a partir da próxima cobrança."
)
_ADVANCE = (
    "Expirações, ciclos de assinaturas e novas tentativas de webhooks acontecem em ordem, até `to`. A resposta vem logo, com "
    "`advancing`; consulte `GET /test-clock` até `ready`. O relógio não volta e só avança no ambiente de teste."
)
_DOCUMENTS = (
    "Um formulário `multipart/form-data` com `type` e `file`. O arquivo é reconhecido pelo conteúdo: o nome e o tipo declarados "
    "não contam. Um novo envio toma o lugar do anterior do mesmo tipo. Em análise ou já liberada, a loja não troca documentos."
)
_SENT = (
    "O último de cada tipo, seja qual for a decisão da equipe: o que ela viu, ou verá no próximo pedido. O arquivo em si só a "
    "equipe do serviço baixa."
)
_ASK = (
    "Pede o nome da loja e o CNPJ no perfil, os três documentos e o aceite dos termos. O 400 lista tudo o que falta, também em "
    "`producao.pendencias`."
)
_QUEUE = "Primeiro quem espera uma decisão, do pedido mais antigo ao mais novo. " + _LIST
_OPEN = (
    "Só no modo `subconta`. A aprovação é do provedor de pagamentos, que pede documentos e uma selfie em `link_documentos`. "
    "Se a loja já tem conta, responde 200 com ela. A chave da conta nunca é mostrada."
)
_CURATED = "Só para a equipe do serviço."
_EXTERNAL = (
    "A identidade tem de ser do Google. Na primeira vez, um e-mail novo abre uma conta; se já há uma conta com o e-mail, a "
    "resposta é 409 `EMAIL_JA_CADASTRADO` até que `password` traga, uma vez, a senha dela."
)
_TWO_STEPS = (
    "Se a conta tem verificação em duas etapas, a senha certa responde 401 `SEGUNDO_FATOR_EXIGIDO` com `error.desafio`, que "
    "`POST /auth/login/code` recebe com um código em até 5 minutos. As outras contas nunca veem isso."
)
_RENEWED = (
    "No mesmo ambiente. Uma sessão de produção passa a ser de teste quando nem a sua loja nem outra em que você trabalha foi "
    "liberada para produção."
)
_FIGURES = (
    "Por dia, semana ou mês, no fuso de `tz`. O que foi criado, pago e expirou conta cada um no seu momento: uma cobrança criada "
    "em um dia e paga no outro está nos dois. O que foi devolvido sai das pagas e fica em `refunded_amount`, no dia do pagamento."
)
_FORGOT = (
    "A resposta é a mesma se há ou não uma conta com o e-mail. O código vai por e-mail, vale uma vez, por uma hora, e só ali aparece. "
    "Há um e-mail a cada 10 minutos e 10 em 24 horas; as outras requisições não enviam nada."
)
_RESET = (
    "Todas as sessões da conta terminam; entre com a nova senha. A verificação em duas etapas continua, e é pedida no acesso. Um código "
    "desconhecido, usado ou vencido responde 404, sempre igual."
)
_CODE = (
    "`challenge` é o `error.desafio` do primeiro passo; `code`, os 6 dígitos do aplicativo ou um código de recuperação. Cada "
    "código vale uma vez. São 10 tentativas por conta a cada 15 minutos."
)
_BEGIN = (
    "O segredo só aparece nesta resposta, e nada pede código até `POST /auth/two-factor/confirm`, em até 30 minutos. Uma nova "
    "chamada troca o segredo."
)
_CONFIRM = (
    "Com um código que o aplicativo mostra agora. Os códigos de recuperação só aparecem nesta resposta, e as outras sessões da "
    "conta terminam."
)
_EVERYWHERE = "Só o token desta resposta vale daí em diante; os anteriores, também os desta sessão, terminam em todos os processos."
_ONBOARDING = (
    "Tudo é opcional, e chaves que não são campos também são guardadas. Uma nova chamada atualiza as respostas que envia; "
    "`onboarding_completed_at` fica o da primeira. Loja, CNPJ e endereço só preenchem o que está vazio no perfil."
)
_OWN = "Ninguém analisa a própria loja: 403."
_WITHDRAW = (
    "O valor fica reservado na hora e o provedor transfere em seguida: `processing` até o aviso dele. `pending` quer dizer que a "
    "resposta do provedor se perdeu; o saque se resolve sozinho ou pela equipe. Um saque por vez. Na conta única não há saques: "
    "`REPASSE_MANUAL`, seja qual for o corpo."
)
_BALANCE = (
    "`net_amount` é `gross_amount` menos `fee_amount`. Cobranças devolvidas não contam. Na conta única os repasses anotados estão "
    "em `pending_amount` e os feitos em `withdrawn_amount`."
)
_STATEMENT = (
    "O que mudou o saldo disponível, do mais novo ao mais antigo: cobranças pagas e devolvidas, saques e repasses. "
    "`balance_after` do primeiro lançamento é `available_amount` de `GET /withdrawals/summary`. Leia as páginas por `after`."
)
_DECIDE = (
    "O provedor é consultado antes: o que ele já concluiu ou recusou vale. Ninguém decide sobre a própria loja: 403."
)
_RECEIVED = (
    "O que a equipe do serviço repassa à loja na conta única: o que já foi enviado (`done`) e o que foi anotado e ainda será "
    "(`recorded`). O que ela descarta não aparece. "
)
_REPAY = (
    "Toma as cobranças pagas em produção na conta do serviço, no período, que ainda não estão em outro repasse. A tarifa é a das "
    "configurações do serviço. O que a loja já recebeu por cobranças devolvidas depois de repassadas é descontado até onde o "
    "repasse alcança, da menor à maior; `deduct_refunds: false` não desconta nada."
)
_ADMINS = "Só o titular convida, altera ou remove administradores."
_INVITE = f"O convite vai por e-mail, com um código que vale 7 dias e só ali aparece. {_ADMINS}"
_ACCEPT = (
    "Pela sessão da conta cujo e-mail foi convidado, qualquer que seja o `x-store`. Um código desconhecido, usado, trocado, "
    "retirado ou de outra pessoa responde 404, sempre igual; um vencido, 409."
)
_EXPORT = "O que os filtros encontram, na ordem pedida; `page` e `limit` não contam."
_ARCHIVE = (ArchiveNotConfigured, ArchiveUnavailable)

_TRAIL = (
    "Quem fez o quê, de onde, e o que mudou, no ambiente da credencial. Cada registro traz o `hash` dele e o do anterior da "
    "loja: a documentação mostra como conferir a cadeia. "
)

DESCRIPTIONS = {
    "accounts.register": Description("Cadastra um lojista", errors=(EmailTaken, RateLimited)),
    "accounts.login": Description("Abre uma sessão", _TWO_STEPS, (WrongCredentials, SecondFactorNeeded, RateLimited)),
    "accounts.login_with_code": Description(
        "Conclui o acesso com um código", _CODE, (ChallengeInvalid, WrongCode, RateLimited)
    ),
    "accounts.external_login": Description(
        "Abre uma sessão com uma conta do Google",
        _EXTERNAL,
        (
            IdentityRefused,
            WrongCredentials,
            SecondFactorNeeded,
            EmailTaken,
            RateLimited,
            IdentityNotConfigured,
            IdentityUnavailable,
        ),
    ),
    "accounts.refresh": Description("Renova a sessão", _RENEWED),
    "accounts.me": Description("Mostra o titular da credencial"),
    "accounts.update_profile": Description("Altera o perfil", "Só muda o que foi enviado."),
    "accounts.change_password": Description(
        "Troca a senha", "As sessões anteriores terminam; a resposta traz uma nova.", (WrongCredentials, RateLimited)
    ),
    "accounts.request_password_reset": Description("Pede uma nova senha", _FORGOT, (RateLimited,)),
    "accounts.reset_password": Description(
        "Escolhe uma nova senha com o código do e-mail", _RESET, (NotFound, RateLimited)
    ),
    "accounts.choose_environment": Description("Escolhe o ambiente da sessão", errors=(LiveNotApproved,)),
    "two_factor.read": Description("Mostra a verificação em duas etapas"),
    "two_factor.begin": Description(
        "Começa a configurar a verificação em duas etapas", _BEGIN, (WrongCredentials, SecondFactorOn, RateLimited)
    ),
    "two_factor.confirm": Description(
        "Ativa a verificação em duas etapas", _CONFIRM, (WrongCode, SecondFactorOn, SecondFactorOff, RateLimited)
    ),
    "two_factor.renew_recovery_codes": Description(
        "Troca os códigos de recuperação",
        "Os anteriores deixam de valer; os novos só aparecem nesta resposta.",
        (WrongCredentials, WrongCode, SecondFactorOff, RateLimited),
    ),
    "two_factor.disable": Description(
        "Desativa a verificação em duas etapas",
        "Pede a senha e um código.",
        (WrongCredentials, WrongCode, SecondFactorOff, RateLimited),
    ),
    "sessions.list": Description(
        "Lista as sessões abertas", "Só as da própria conta; até 100, as últimas usadas primeiro."
    ),
    "sessions.end": Description("Encerra uma sessão", "Vale já na próxima requisição dela; pode ser a própria."),
    "sessions.end_others": Description("Encerra todas as outras sessões", _EVERYWHERE),
    "onboarding.read": Description("Lê as respostas do primeiro acesso"),
    "onboarding.complete": Description("Guarda as respostas do primeiro acesso", _ONBOARDING),
    "api_keys.create": Description("Cria uma chave de API", f"{_KEY_ONCE} {_SCOPES}", (LiveNotApproved,)),
    "api_keys.list": Description("Lista as chaves de API", _LIST),
    "api_keys.read": Description("Mostra uma chave de API"),
    "api_keys.update": Description("Renomeia, desativa ou reativa uma chave"),
    "api_keys.revoke": Description("Revoga uma chave para sempre"),
    "receiving.open": Description("Abre a conta de recebimento", _OPEN, (Conflict,)),
    "receiving.read": Description(
        "Mostra a conta de recebimento",
        "No modo `conta_unica` responde aprovada: as cobranças caem na conta do serviço.",
    ),
    "receiving.check": Description(
        "Confere a aprovação da conta agora",
        "Pergunta ao provedor de pagamentos e responde como a leitura.",
        (EngineFailed,),
    ),
    "receiving.simulate_review": Description(
        "Simula a análise da conta de teste",
        "Só em teste, no modo `subconta` e com o simulador. Sem corpo, a conta fica aprovada.",
        (TestOnly, SubaccountMissing, Conflict, EngineFailed),
    ),
    "charges.issue": Description(
        "Emite uma cobrança Pix", _ISSUE, (MinimumAmount, InvalidExpiry, *_COUPONS, *_UNPLACED, DuplicateReference)
    ),
    "charges.register": Description(
        "Registra uma cobrança com vencimento", "Sem valor mínimo.", (InvalidExpiry, *_UNPLACED, DuplicateReference)
    ),
    "charges.figures": Description("Conta e soma as cobranças de um período", _FIGURES),
    "charges.list": Description("Lista as cobranças", _LIST),
    "charges.read": Description(
        "Mostra uma cobrança",
        "Por `id`, `txid` ou `external_reference`: a cobrança pendente ou paga que a tem, senão a mais recente.",
    ),
    "charges.simulate_payment": Description(
        "Paga uma cobrança de teste", "Como faria o banco do pagador.", (TestOnly, Conflict, EngineFailed)
    ),
    "charges.expire": Description("Encerra uma cobrança pendente", _END, (ChargeEnded,)),
    "charges.send": Description("Envia uma cobrança por e-mail", _SEND, (ChargeEnded, RateLimited)),
    "charges.cancel": Description("Cancelar uma cobrança", _NO_CANCEL, (EngineFailed,), succeeds=False),
    "charges.refund": Description("Devolver um pagamento", _NO_REFUND, (EngineFailed,), succeeds=False),
    "customers.create": Description("Cadastra um cliente"),
    "customers.list": Description("Lista os clientes", _LIST),
    "customers.read": Description("Mostra um cliente"),
    "customers.update": Description("Altera um cliente", "Só muda o que foi enviado; vazio ou nulo limpa."),
    "customers.delete": Description(
        "Exclui um cliente", "As cobranças ficam, sem o vínculo com ele.", (TooManyReferences,)
    ),
    "webhooks.list_endpoints": Description("Lista os endpoints de webhook", _LIST),
    "webhooks.create_endpoint": Description("Cria um endpoint de webhook", _SHOWN_THIS_ONCE, (Conflict,)),
    "webhooks.open_test_receiver": Description(
        "Abre um receptor de teste",
        f"Recebe os eventos de teste por 24 horas, sem sair do serviço. {_SHOWN_THIS_ONCE}",
        (TestOnly, Conflict),
    ),
    "webhooks.catalogue": Description("Lista os eventos que existem"),
    "webhooks.sample": Description(
        "Mostra um exemplo de um evento", "Com dados fictícios, antes do primeiro evento real.", (NotFound,)
    ),
    "webhooks.read_endpoint": Description("Mostra um endpoint"),
    "webhooks.update_endpoint": Description("Altera um endpoint", errors=(Conflict,)),
    "webhooks.delete_endpoint": Description("Exclui um endpoint"),
    "webhooks.try_endpoint": Description("Envia um evento de exemplo", errors=(Conflict,)),
    "webhooks.rotate_secret": Description("Troca o segredo", _SHOWN_THIS_ONCE),
    "webhooks.list_deliveries": Description("Lista as entregas de um endpoint", _PAGES),
    "webhooks.read_delivery": Description("Mostra uma entrega"),
    "webhooks.redeliver": Description("Entrega um evento de novo", errors=(Conflict,)),
    "webhooks.replay": Description("Entrega de novo tudo o que um endpoint perdeu", _REPLAY, (Conflict,)),
    "webhooks.list_all_deliveries": Description("Lista as entregas a todos os endpoints", _PAGES),
    "webhooks.list_events": Description("Lista os eventos", f"Haja ou não endpoints que os recebam. {_PAGES}"),
    "webhooks.read_event": Description("Mostra um evento"),
    "payment_links.create": Description(
        "Cria um link de pagamento", "O ambiente é o da credencial e não muda mais.", (MinimumAmount,)
    ),
    "payment_links.list": Description("Lista os links de pagamento", _LIST),
    "payment_links.read": Description("Mostra um link de pagamento"),
    "payment_links.update": Description("Altera um link de pagamento", _ONLY_SENT, (MinimumAmount,)),
    "payment_links.delete": Description("Exclui um link de pagamento", _USES, (TooManyReferences, Conflict)),
    "checkout.read_link": Description("Mostra um link ao pagador", _FOR_PAYERS, _LINKS),
    "checkout.validate_coupon": Description(
        "Diz o que um cupom faz com o valor de um link",
        "Sem credencial. Nada é reservado.",
        (*_COUPONS, MinimumAmount, *_LINKS),
    ),
    "checkout.pay": Description(
        "Gera a cobrança de um link", _PAY, (*_COUPONS, MinimumAmount, *_LINKS, *_UNPLACED, Conflict, EngineFailed)
    ),
    "checkout.read_charge": Description("Mostra uma cobrança ao pagador", _FOR_PAYERS, (NotFound, RateLimited)),
    "checkout.simulate_payment": Description(
        "Paga uma cobrança de teste",
        "Sem credencial, só em teste.",
        (NotFound, TestOnly, Conflict, RateLimited, EngineFailed),
    ),
    "coupons.create": Description("Cria um cupom", errors=(NotFound, DuplicateCoupon)),
    "coupons.list": Description("Lista os cupons", _LIST),
    "coupons.read": Description("Mostra um cupom"),
    "coupons.validate": Description(
        "Diz o que um cupom faz com um valor",
        "Envie `amount`, `product_id` ou os dois. Nada é reservado: a cobrança emitida é que ocupa um uso.",
        (*_COUPONS, MinimumAmount),
    ),
    "coupons.update": Description(
        "Altera um cupom", "Só muda o que foi enviado; nulo tira um limite.", (DuplicateCoupon,)
    ),
    "coupons.delete": Description("Exclui um cupom", _USES, (TooManyReferences, Conflict)),
    "products.create": Description("Cria um produto", errors=(DuplicateSku,)),
    "products.list": Description("Lista os produtos", _LIST),
    "products.read": Description("Mostra um produto"),
    "products.update": Description("Altera um produto", _ONLY_SENT, (DuplicateSku,)),
    "products.delete": Description(
        "Exclui um produto",
        "Os links dele seguem com o próprio valor; as cobranças guardam o vínculo como histórico.",
        (TooManyReferences,),
    ),
    "subscriptions.create": Description(
        "Cria uma assinatura", _SUBSCRIBE, (MinimumAmount, LiveNotApproved, DuplicateReference)
    ),
    "subscriptions.list": Description("Lista as assinaturas", _LIST),
    "subscriptions.read": Description("Mostra uma assinatura"),
    "subscriptions.update": Description("Altera uma assinatura", _RESCHEDULE, (MinimumAmount, DuplicateReference)),
    "subscriptions.delete": Description(
        "Exclui uma assinatura",
        "As cobranças ficam, sem o vínculo; com mais de 500 vínculos, cancele em vez de excluir.",
        (TooManyReferences, Conflict),
    ),
    "subscriptions.charge": Description(
        "Cobra uma assinatura agora", "A data da próxima cobrança não muda.", (*_UNPLACED, SubscriptionCanceled)
    ),
    "subscriptions.upcoming": Description(
        "Mostra as próximas cobranças de uma assinatura",
        "Quando e quanto; vazio para a que não está ativa. Sem `id`, as que vencem primeiro, de todas as da loja.",
    ),
    "subscriptions.figures": Description(
        "Conta e soma as assinaturas ativas",
        "`next30_days_amount` soma os ciclos que vencem até lá, um por vez; os que ficaram para trás não são cobrados.",
    ),
    "members.list": Description("Lista a equipe da loja", f"O titular não é membro e não aparece. {_LIST}"),
    "members.invite": Description("Convida alguém para a equipe", _INVITE, (OwnerOnly, Conflict)),
    "members.accept": Description("Aceita um convite", _ACCEPT, (NotFound, Conflict)),
    "members.read": Description("Mostra um membro da equipe"),
    "members.update": Description(
        "Muda o papel de um membro", f"Vale já na próxima requisição. {_ADMINS}", (OwnerOnly, Conflict)
    ),
    "members.remove": Description(
        "Remove um membro ou retira um convite", f"Vale já na próxima requisição. {_ADMINS}", (OwnerOnly, Conflict)
    ),
    "members.resend": Description(
        "Reenvia um convite",
        f"Com um código novo e mais 7 dias; o anterior deixa de valer. {_ADMINS}",
        (OwnerOnly, Conflict),
    ),
    "members.stores": Description("Lista as lojas em que a pessoa trabalha", "A própria primeiro. Não pede `x-store`."),
    "clocks.read": Description("Mostra o relógio de teste", errors=(TestOnly,)),
    "clocks.advance": Description("Avança o relógio de teste", _ADVANCE, (TestOnly, ClockInProgress)),
    "production.read": Description("Mostra a situação da liberação para produção"),
    "production.list_documents": Description("Lista os documentos enviados", _SENT),
    "production.upload_document": Description("Envia um documento", _DOCUMENTS, (UnderReview, Conflict, *_ARCHIVE)),
    "production.request": Description("Pede a liberação para produção", _ASK, (UnderReview, Conflict)),
    "roadmap.list": Description(
        "Lista o roadmap", f"O quadro é o mesmo para todos; `voted` é de quem pergunta. {_LIST}"
    ),
    "roadmap.read": Description("Mostra um item do roadmap"),
    "roadmap.create": Description("Cria um item do roadmap", _CURATED),
    "roadmap.update": Description("Altera um item do roadmap", f"{_CURATED} {_ONLY_SENT}"),
    "roadmap.delete": Description("Exclui um item do roadmap", f"{_CURATED} Os votos e comentários vão com ele."),
    "roadmap.vote": Description("Vota em um item do roadmap", "Cada chamada dá o voto ou o retira."),
    "roadmap.list_comments": Description("Lista os comentários de um item", _LIST),
    "roadmap.comment": Description("Comenta um item do roadmap"),
    "roadmap.delete_comment": Description("Exclui um comentário", _CURATED),
    "audit.list": Description("Lista a trilha de auditoria", _TRAIL + _LIST),
    "audit.read": Description("Mostra um registro de auditoria"),
    "staff.list_merchants": Description("Lista os lojistas", _QUEUE),
    "staff.read_merchant": Description("Mostra um lojista, seus documentos e seu histórico"),
    "staff.download_document": Description(
        "Baixa um documento", "Sempre como anexo. Cada download fica na auditoria da loja.", _ARCHIVE
    ),
    "staff.approve_merchant": Description("Libera uma loja para produção", _OWN, (NothingToReview,)),
    "staff.refuse_merchant": Description("Recusa o pedido de uma loja", _OWN, (NothingToReview,)),
    "staff.suspend_merchant": Description(
        "Suspende a operação em produção de uma loja", f"Vale já na próxima requisição da loja. {_OWN}", (Conflict,)
    ),
    "staff.reactivate_merchant": Description("Reativa uma loja suspensa", _OWN, (Conflict,)),
    "withdrawals.request": Description(
        "Pede um saque",
        _WITHDRAW,
        (
            *(InvalidPixKey, ManualRepayment, WithdrawalInProgress, InsufficientBalance),
            *(SubaccountMissing, LiveNotApproved, EngineFailed),
        ),
    ),
    "refunds.create": Description(
        "Devolve o valor de uma cobrança",
        "Só de uma cobrança paga, até 90 dias depois do pagamento, e no máximo o que foi pago: sem `amount`, o que ainda "
        "resta. A devolução termina agora ou mais tarde: leia `status`, que passa de `pending` e `processing` a "
        "`completed` ou `rejected`. Concluída, soma em `refunded_amount` da cobrança, que no valor todo passa a "
        "`refunded`. Não há evento de webhook para ela.",
        (
            *(ChargeNotPaid, RefundTooLate, RefundTooLarge, RefundUnavailable),
            *(InsufficientBalance, TestOnly, EngineFailed),
        ),
    ),
    "refunds.list": Description("Lista as devoluções", _LIST),
    "refunds.read": Description("Mostra uma devolução"),
    "withdrawals.list": Description("Lista os saques", _LIST),
    "withdrawals.summary": Description("Mostra o saldo", _BALANCE),
    "withdrawals.quote": Description(
        "Mostra quanto um saque custaria",
        "Pergunta ao provedor a tarifa da transferência. Ele pode reter menos: as primeiras do mês podem ser grátis.",
        (ManualRepayment, SubaccountMissing, EngineFailed),
    ),
    "pix_keys.save": Description(
        "Guarda uma chave Pix para os saques",
        "Uma que já está guardada só muda de nome. São no máximo 20 por ambiente.",
        (InvalidPixKey, Conflict),
    ),
    "pix_keys.list": Description("Lista as chaves Pix guardadas"),
    "pix_keys.delete": Description("Exclui uma chave Pix guardada", "Os saques para ela ficam."),
    "withdrawals.statement": Description("Mostra o extrato da loja", _STATEMENT),
    "withdrawals.read": Description("Mostra um saque"),
    "staff.list_withdrawals": Description("Lista os saques de todas as lojas", _LIST),
    "staff.read_withdrawal": Description("Mostra o saque de uma loja"),
    "staff.complete_withdrawal": Description("Dá um saque por concluído", _DECIDE, (Conflict, EngineFailed)),
    "staff.refuse_withdrawal": Description(
        "Recusa um saque", f"A transferência é cancelada no provedor. {_DECIDE}", (Conflict, EngineFailed)
    ),
    "repayments.list_received": Description("Lista os repasses à loja", _RECEIVED + _LIST),
    "repayments.read_received": Description("Mostra um repasse à loja"),
    "repayments.record": Description("Anota um repasse", _REPAY, (Conflict,)),
    "repayments.list": Description("Lista os repasses a todas as lojas", _LIST),
    "repayments.read": Description(
        "Mostra um repasse", "Em CSV, cada cobrança com o seu EndToEndId; as descontadas, com valores negativos."
    ),
    "repayments.conclude": Description("Dá um repasse por feito", errors=(Conflict,)),
    "repayments.discard": Description("Descarta um repasse", "As cobranças dele ficam livres para outro.", (Conflict,)),
    "staff.list_differences": Description("Lista as diferenças com os provedores", _DIFFERENCES),
    "staff.read_difference": Description("Mostra uma diferença"),
    "staff.resolve_difference": Description("Encerra uma diferença", _RESOLVE, (Conflict,)),
    "service.read": Description(
        "Lê o que qualquer um pode saber sobre o serviço", "Valores, taxas e o que está configurado."
    ),
    "health.read": Description("Diz como o serviço está", errors=(Unhealthy,)),
    "health.live": Description("Diz que o processo responde", "Não toca em nada."),
    "health.ready": Description("Diz se pode receber requisições", "Para balanceadores de carga.", (Unhealthy,)),
    # Exports
    "audit.export": Description("Exporta a auditoria em CSV", _EXPORT),
    "charges.export": Description("Exporta as cobranças em CSV", _EXPORT),
    "customers.export": Description("Exporta os clientes em CSV", _EXPORT),
    "withdrawals.export": Description("Exporta os saques em CSV", _EXPORT),
    "withdrawals.export_statement": Description("Exporta o extrato em CSV", _EXPORT),
    "refunds.export": Description("Exporta as devoluções em CSV", _EXPORT),
    "subscriptions.export": Description("Exporta as assinaturas em CSV", _EXPORT),
    "products.export": Description("Exporta os produtos em CSV", _EXPORT),
    "coupons.export": Description("Exporta os cupons em CSV", _EXPORT),
    "payment_links.export": Description("Exporta os links de pagamento em CSV", _EXPORT),
    "repayments.export_received": Description("Exporta os repasses à loja em CSV", _EXPORT),
    "repayments.export_list": Description("Exporta os repasses de todas as lojas em CSV", _EXPORT),
    "api_keys.export": Description("Exporta as chaves de API em CSV", _EXPORT),
    "members.export": Description("Exporta a equipe da loja em CSV", _EXPORT),
    "webhooks.export_endpoints": Description("Exporta os endpoints de webhook em CSV", _EXPORT),
    "webhooks.export_deliveries": Description("Exporta as entregas de um endpoint em CSV", _EXPORT),
    "webhooks.export_all_deliveries": Description("Exporta as entregas a todos os endpoints em CSV", _EXPORT),
    "webhooks.export_events": Description("Exporta os eventos em CSV", _EXPORT),
    "roadmap.export": Description("Exporta o roadmap em CSV", _EXPORT),
    "roadmap.export_comments": Description("Exporta os comentários de um item em CSV", _EXPORT),
    "staff.export_merchants": Description("Exporta os lojistas em CSV", _EXPORT),
    "staff.export_withdrawals": Description("Exporta os saques de todas as lojas em CSV", _EXPORT),
    "staff.export_differences": Description("Exporta as diferenças em CSV", _EXPORT),
    "repayments.export": Description(
        "Exporta as cobranças de um repasse em CSV",
        "Na ordem do pagamento; depois as descontadas, com valores negativos.",
    ),
}
