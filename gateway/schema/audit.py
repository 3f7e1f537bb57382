"""The audit trail over GraphQL."""

import strawberry

from gateway.models.audit import ActorType, Source
from gateway.resolvers.audit import read as reading
from gateway.resolvers.audit.types import AuditFilter, AuditRecordView
from gateway.schema.connections import export_field, list_field
from gateway.schema.fields import query_field
from gateway.schema.strawberry_types import define_enum, define_input, define_output

define_enum(
    ActorType,
    "Quem age.",
    user="Uma pessoa da loja.",
    api_key="Uma chave de API.",
    staff="A equipe do serviço.",
    system="O próprio serviço.",
    engine="O provedor de pagamentos.",
    public="Alguém sem credencial, como um pagador.",
)
define_enum(
    Source,
    "Por onde um ato veio.",
    rest="A API REST.",
    graphql="O GraphQL.",
    job="Uma tarefa do serviço.",
    engine="Um aviso do provedor de pagamentos.",
    checkout="A página de pagamento.",
)
define_output(AuditRecordView, "AuditRecord")
define_input(AuditFilter, "AuditFilter")


@strawberry.type
class AuditQuery:
    audit_record = query_field(reading.read_audit_record, "Um registro de auditoria.", id=strawberry.ID)
    audit_records = list_field(reading.list_audit, AuditFilter, "O que se fez na loja: quem, de onde, o que mudou.")


@strawberry.type
class AuditMutation:
    export_audit_records = export_field(
        reading.export_audit,
        AuditFilter,
        "Exporta os registros de auditoria da loja.",
    )
