"""What a caller reads when the payment engine didn't do what we asked: always a 502 (specification section 7).

A definite refusal says why, in the engine's own words where it has any, and never "try again". What concerns the
service's or a merchant's account at the engine is for the merchant and for staff; a payer learns that the store can't
receive now.
"""

from gateway.errors import EngineFailed
from gateway.integrations.engines.port import (
    AccountRefused,
    EngineMisconfigured,
    EngineNotConfigured,
    EngineRefused,
    PayerRefused,
)

NO_ENGINE = (
    "Este serviço ainda não tem um provedor de pagamentos para produção: nenhuma cobrança real pode ser emitida. "
    "Fale com a equipe do serviço."
)
NOT_ADMITTED = (
    "O provedor de pagamentos não aceitou a credencial da conta que recebe. Só a equipe do serviço pode corrigir isso."
)
REFUSED = "O provedor de pagamentos recusou a operação"
PAYERS_DATA = "O banco não aceitou os dados do pagador: confira o nome e o CPF ou CNPJ."
STORE_CANNOT_RECEIVE = "Esta loja não consegue receber por Pix no momento, e nada foi cobrado. Fale com a loja."


def failed(error: Exception) -> EngineFailed:
    """The answer for an engine's error. Only a failure that may pass tells the caller to try again."""
    if isinstance(error, EngineRefused):
        return EngineFailed(refusal(error), to_payer=_to_payer(error))
    return EngineFailed()


def refusal(error: EngineRefused) -> str:
    """A definite refusal, for the merchant."""
    if isinstance(error, EngineNotConfigured):
        return NO_ENGINE
    if isinstance(error, EngineMisconfigured):
        return NOT_ADMITTED
    whose = "os dados do pagador" if isinstance(error, PayerRefused) else None
    about = f"O provedor de pagamentos recusou {whose}" if whose else REFUSED
    return f"{about}: {error.reason.removesuffix('.')}." if error.reason else f"{about}."


def is_alarming(error: Exception) -> bool:
    """Whether somebody must act before the account can receive again."""
    return isinstance(error, AccountRefused)


def _to_payer(error: EngineRefused) -> str:
    return PAYERS_DATA if isinstance(error, PayerRefused) else STORE_CANNOT_RECEIVE
