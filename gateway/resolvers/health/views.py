"""What the API shows of its own health (contract section 7)."""

from datetime import datetime
from enum import StrEnum

from pydantic import Field

from gateway.resolvers.core.views import View


class CheckStatus(StrEnum):
    """What one check found."""

    ok = "ok"
    failing = "failing"


class HealthStatus(StrEnum):
    """`degraded`: it works, and something beside the database doesn't."""

    ok = "ok"
    degraded = "degraded"


class OutboxView(View):
    """Deliveries that wait to be sent."""

    pending: int = Field(description="Entregas de webhook à espera de envio; 10000 quer dizer ao menos tantas.")
    oldest_seconds: float = Field(description="Há quantos segundos a mais atrasada deveria ter saído.")
    stuck: bool = Field(
        description="Se há entregas que ninguém leva: vencidas há dois minutos, sem envio algum a seu endpoint nesse tempo."
    )


class ChecksView(View):
    """Each thing that the service leans on."""

    database: CheckStatus = Field(description="PostgreSQL.")
    redis: CheckStatus = Field(description="Redis. Sem ele tudo funciona, com entregas mais lentas.")
    outbox: OutboxView = Field(description="Fila de eventos.")
    engine: CheckStatus = Field(description="Provedor de pagamentos, pelo que mostrou a última chamada.")


class HealthView(View):
    """The service as it sees itself."""

    status: HealthStatus = Field(description="`ok`, ou `degraded` quando algo além do banco de dados falha.")
    version: str = Field(description="Versão da interface.")
    time: datetime = Field(description="Hora do serviço.")
    uptime_seconds: int = Field(description="Há quantos segundos este processo atende.")
    checks: ChecksView = Field(description="Verificações.")


class LifeView(View):
    """Enough for a load balancer."""

    status: CheckStatus = Field(description="`ok`.")
