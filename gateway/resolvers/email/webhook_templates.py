"""Emails about webhook endpoints that don't accept deliveries."""

from datetime import date, datetime
from typing import Literal

from gateway.models.emails import EmailKind
from gateway.resolvers.email.templates import Content, Line, TemplateData, Tone, line, present, time_line
from gateway.values.formatting import count, day

ENVIRONMENTS = {"test": "teste", "live": "produção"}
_WHY = "Você recebeu este e-mail porque é titular da loja que cadastrou este webhook."
_IN_DOUBT = "Em caso de dúvida sobre uma cobrança, consulte GET /pix/status: a API sempre mostra o estado atual."


class EndpointData(TemplateData):
    """The data of emails about a webhook endpoint."""

    endpoint_id: str
    name: str
    url: str
    environment: str
    link: str | None = None
    """The endpoint's page in the panel."""

    @property
    def _button(self) -> tuple[str, str] | None:
        return ("Abrir o webhook no painel", self.link) if self.link else None

    def _lines(self, *more: Line | None) -> tuple[Line, ...]:
        return present(
            line("Webhook", self.name),
            line("Endereço", self.url, exact=True),
            line("Ambiente", ENVIRONMENTS.get(self.environment, self.environment)),
            *more,
        )


class WebhookEndpointDisabled(EndpointData):
    """The service disabled an endpoint after days without a success."""

    kind = EmailKind.webhook_endpoint_disabled

    at: datetime
    failing_since: datetime | None = None

    @property
    def dedupe_key(self) -> str:
        return f"webhook-disabled:{self.endpoint_id}:{self.at.timestamp():.0f}"

    def content(self) -> Content:
        return Content(
            f"Webhook desativado: {self.name}",
            "Nada foi entregue durante dias. Os avisos novos ficam guardados até você reativar o endereço.",
            Tone.warning,
            "Desativamos este webhook",
            (
                "Há dias nenhum aviso chega a este endereço, apesar de muitas tentativas. Por isso paramos de enviar.",
                "Nada se perde: os avisos de agora em diante ficam guardados por 30 dias no registro de entregas.",
            ),
            why=_WHY,
            lines=self._lines(time_line("Sem sucesso desde", self.failing_since), time_line("Desativado em", self.at)),
            button=self._button,
            after=(
                "O que fazer: corrija o servidor, reative o endereço, envie um evento de teste e reenvie os avisos guardados.",
                _IN_DOUBT,
            ),
        )


class WebhookEndpointGone(EndpointData):
    """An endpoint answered 410, which disables it at once."""

    kind = EmailKind.webhook_endpoint_gone

    at: datetime

    @property
    def dedupe_key(self) -> str:
        return f"webhook-gone:{self.endpoint_id}:{self.at.timestamp():.0f}"

    def content(self) -> Content:
        return Content(
            f"Webhook desativado pelo seu servidor: {self.name}",
            "O endereço respondeu 410 (Gone) e não recebe mais avisos.",
            Tone.warning,
            "Seu servidor recusou os avisos",
            (
                "Este endereço respondeu 410 (Gone), que quer dizer “não me envie mais nada”. Por isso o desativamos.",
                "Os avisos de agora em diante ficam guardados por 30 dias no registro de entregas.",
            ),
            why=_WHY,
            lines=self._lines(time_line("Desativado em", self.at)),
            button=self._button,
            after=(
                "Foi engano? Corrija a resposta do servidor, reative o endereço e reenvie os avisos guardados.",
                _IN_DOUBT,
            ),
        )


class WebhookEndpointFailing(EndpointData):
    """All deliveries to an endpoint failed for a day, or for three: one email of each, for one series of failures."""

    kind = EmailKind.webhook_endpoint_failing

    hours: Literal[24, 72]
    failing_since: datetime
    last_problem: str | None = None
    """In Portuguese, such as `resposta 503` or `tempo esgotado`."""

    @property
    def dedupe_key(self) -> str:
        return f"webhook-failing:{self.endpoint_id}:{self.failing_since.timestamp():.0f}:{self.hours}"

    def content(self) -> Content:
        period = "alguns minutos" if self.environment == "test" else "até três dias"
        retries = f"Continuamos tentando cada aviso por {period}."
        if self.hours == 72:
            retries += " Se nada mudar, o endereço será desativado depois de cinco dias sem nenhum sucesso."
        return Content(
            f"Webhook sem entregas há {self.hours} horas: {self.name}",
            "Seus avisos de pagamento não estão chegando. Continuamos tentando.",
            Tone.warning,
            f"Nenhum aviso chega há {self.hours} horas",
            ("Todas as entregas a este endereço falharam nesse tempo.", retries),
            why=_WHY,
            lines=self._lines(
                time_line("Sem sucesso desde", self.failing_since), line("Último problema", self.last_problem)
            ),
            button=self._button,
            after=("O que fazer: veja as tentativas no registro de entregas e envie um evento de teste.", _IN_DOUBT),
        )


class WebhookDeliveriesExhausted(EndpointData):
    """The number of an endpoint's deliveries that ended without success on one day: one email per day and endpoint."""

    kind = EmailKind.webhook_deliveries_exhausted

    day: date
    deliveries: int
    active: bool = True
    """Whether the endpoint was enabled when the email was enqueued."""

    @property
    def dedupe_key(self) -> str:
        return f"webhook-exhausted:{self.endpoint_id}:{self.day.isoformat()}"

    def content(self) -> Content:
        title = count(self.deliveries, "aviso não foi entregue", "avisos não foram entregues")
        now = "O endereço continua ativo." if self.active else "O endereço está desativado e não recebe mais avisos."
        ended, them = ("deste aviso", "o aviso") if self.deliveries == 1 else ("destes avisos", "os avisos")
        todo = f"reenvie {them}" if self.active else f"reative o endereço e reenvie {them}"
        return Content(
            f"{title}: {self.name}",
            "As tentativas acabaram, e os avisos continuam guardados para reenvio.",
            Tone.warning,
            title,
            (f"Em {day(self.day)} terminaram as tentativas {ended}. {now}",),
            why=_WHY,
            lines=self._lines(line("Dia", day(self.day)), line("Avisos", count(self.deliveries, "aviso", "avisos"))),
            button=self._button,
            after=(
                f"O que fazer: corrija o servidor e {todo} pelo registro de entregas, por até 30 dias.",
                _IN_DOUBT,
            ),
        )
