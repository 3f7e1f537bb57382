"""The summary of a billing run (contract section 4)."""

from collections.abc import Callable
from datetime import datetime
from enum import StrEnum

from msgspec import Struct, field
from pydantic import Field

from gateway.resolvers.core.views import View
from gateway.telemetry import BILLED
from gateway.values.ids import Id

MAX_DETAILS = 100


class BillingResult(StrEnum):
    """The result of a run for one subscription."""

    cobrada = "cobrada"
    ja_cobrada = "ja_cobrada"
    falha = "falha"
    sem_data = "sem_data"
    encerrada = "encerrada"


class BillingDetailView(View):
    """O que a execução fez de uma assinatura."""

    subscription_id: Id = Field(description="Assinatura.")
    charge_id: Id | None = Field(description="Cobrança gerada, se houver.")
    resultado: BillingResult = Field(description="O que aconteceu.")
    motivo: str | None = Field(description="Por quê, quando há o que explicar.")


class BillingSummaryView(View):
    """O resumo de uma execução da cobrança de assinaturas."""

    iniciado_em: datetime = Field(description="Início da execução.")
    concluido_em: datetime = Field(description="Fim da execução.")
    analisadas: int = Field(
        description="Assinaturas ativas vistas, vencidas ou sem data, com as que chegaram ao fim, que `detalhes` mostra como `encerrada`."
    )
    cobradas: int = Field(description="Cobranças geradas; numa simulação, as que seriam.")
    ja_cobradas: int = Field(description="Ciclos que já tinham sido cobrados.")
    falhas: int = Field(description="Assinaturas que não puderam ser cobradas; a próxima execução tenta de novo.")
    sem_data: int = Field(description="Assinaturas ativas sem próxima data, que foram reagendadas.")
    detalhes: list[BillingDetailView] = Field(description="As primeiras 100, uma a uma.")


class BillingCounts(Struct):
    """Counts the results of a run. `on_progress` is called with the number of subscriptions so far."""

    on_progress: Callable[[int], None] | None = None
    counts: dict[BillingResult, int] = field(default_factory=lambda: dict.fromkeys(BillingResult, 0))
    details: list[BillingDetailView] = field(default_factory=list)

    def add(
        self, subscription_id: str, result: BillingResult, *, charge_id: str | None = None, reason: str | None = None
    ) -> None:
        """Count one subscription."""
        self.counts[result] += 1
        if len(self.details) < MAX_DETAILS:
            detail = {"subscription_id": subscription_id, "charge_id": charge_id, "resultado": result, "motivo": reason}
            self.details.append(BillingDetailView.adopt(detail))

    def include(self, other: "BillingCounts") -> None:
        """Add the counts of another."""
        for result, count in other.counts.items():
            self.counts[result] += count
        self.details += other.details[: MAX_DETAILS - len(self.details)]

    def report_progress(self) -> None:
        if self.on_progress is not None:
            self.on_progress(self.total)

    @property
    def total(self) -> int:
        return sum(self.counts.values())

    def summary(self, started_at: datetime, ended_at: datetime) -> BillingSummaryView:
        return BillingSummaryView.of(
            {
                "iniciado_em": started_at,
                "concluido_em": ended_at,
                "analisadas": self.total,
                "cobradas": self.counts[BillingResult.cobrada],
                "ja_cobradas": self.counts[BillingResult.ja_cobrada],
                "falhas": self.counts[BillingResult.falha],
                "sem_data": self.counts[BillingResult.sem_data],
                "detalhes": self.details,
            }
        )

    def observe(self) -> None:
        """Add the counts to the metrics."""
        for result, count in self.counts.items():
            BILLED.labels(result.value).inc(count)
