"""The schema, composed of each module's queries and mutations."""

import strawberry
from graphql import GraphQLSchema, get_nullable_type

from gateway import errors
from gateway.errors import GatewayError
from gateway.schema.accounts import (
    AccountsMutation,
    AccountsQuery,
    SessionsMutation,
    SessionsQuery,
    TwoFactorMutation,
    TwoFactorQuery,
)
from gateway.schema.api_keys import ApiKeysMutation, ApiKeysQuery
from gateway.schema.audit import AuditMutation, AuditQuery
from gateway.schema.catalogue import (
    CouponsMutation,
    CouponsQuery,
    PaymentLinksMutation,
    PaymentLinksQuery,
    ProductsMutation,
    ProductsQuery,
)
from gateway.schema.charges import ChargesMutation, ChargesQuery
from gateway.schema.checkout import CheckoutMutation, CheckoutQuery
from gateway.schema.clocks import ClocksMutation, ClocksQuery
from gateway.schema.customers import CustomersMutation, CustomersQuery
from gateway.schema.live import Live
from gateway.schema.members import MembersMutation, MembersQuery
from gateway.schema.production import ProductionMutation, ProductionQuery
from gateway.schema.receiving import ReceivingMutation, ReceivingQuery
from gateway.schema.refunds import RefundsMutation, RefundsQuery
from gateway.schema.repayments import RepaymentsMutation, RepaymentsQuery
from gateway.schema.roadmap import RoadmapMutation, RoadmapQuery
from gateway.schema.service import ServiceQuery
from gateway.schema.staff import DifferencesMutation, DifferencesQuery, StaffMutation, StaffQuery
from gateway.schema.strawberry_types import CONFIG
from gateway.schema.subscriptions import SubscriptionsMutation, SubscriptionsQuery
from gateway.schema.webhooks import WebhooksMutation, WebhooksQuery
from gateway.schema.withdrawals import WithdrawalsMutation, WithdrawalsQuery


@strawberry.type(description="Leituras. Tudo pertence à loja e ao ambiente da credencial.")
class Query(
    AccountsQuery,
    TwoFactorQuery,
    SessionsQuery,
    ApiKeysQuery,
    ChargesQuery,
    CustomersQuery,
    ProductsQuery,
    CouponsQuery,
    PaymentLinksQuery,
    CheckoutQuery,
    SubscriptionsQuery,
    WebhooksQuery,
    MembersQuery,
    ClocksQuery,
    ProductionQuery,
    ReceivingQuery,
    AuditQuery,
    StaffQuery,
    RefundsQuery,
    WithdrawalsQuery,
    RepaymentsQuery,
    DifferencesQuery,
    RoadmapQuery,
    ServiceQuery,
):
    pass


@strawberry.type(description="Comandos. `Idempotency-Key` vale para requisições com exatamente um campo de mutação.")
class Mutation(
    AccountsMutation,
    TwoFactorMutation,
    SessionsMutation,
    ApiKeysMutation,
    ChargesMutation,
    CustomersMutation,
    ProductsMutation,
    CouponsMutation,
    PaymentLinksMutation,
    CheckoutMutation,
    SubscriptionsMutation,
    WebhooksMutation,
    MembersMutation,
    ClocksMutation,
    ProductionMutation,
    ReceivingMutation,
    AuditMutation,
    StaffMutation,
    RefundsMutation,
    WithdrawalsMutation,
    RepaymentsMutation,
    DifferencesMutation,
    RoadmapMutation,
):
    pass


SCHEMA = strawberry.Schema(Query, Mutation, Live, config=CONFIG)


def _make_root_fields_nullable(schema: GraphQLSchema) -> None:
    """Make root fields nullable. Otherwise one error would null all of `data`, with the results of other mutations:
    issued charges, keys that are shown once.
    """
    assert schema.query_type is not None
    assert schema.mutation_type is not None
    for field in (*schema.query_type.fields.values(), *schema.mutation_type.fields.values()):
        field.type = get_nullable_type(field.type)


_make_root_fields_nullable(SCHEMA._schema)  # noqa: SLF001  # Strawberry has no public attribute for the graphql-core schema.


def _description() -> str:
    """Describes the schema: above all `errors`, which no type describes."""
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, GatewayError)]
    codes = sorted({kind.codigo for kind in kinds if kind.codigo is not None})
    return (
        "Pix Gateway: cobranças Pix para lojas.\n\n"
        "Cada erro tem em `extensions` o `status` que a API REST daria e, quando um programa precisa decidir por ele, "
        "um `codigo`. Dados inválidos têm `campos`: uma lista de `{campo, mensagem, caminho}`. `campo` é o nome na API "
        'REST, e `caminho` o lugar nos argumentos, como `["input", "customerName"]`. '
        "Os códigos:\n" + ", ".join(codes) + "."
    )


SCHEMA._schema.description = _description()  # noqa: SLF001  # As above.


def sdl() -> str:
    """The schema in SDL, for `gateway schema` and `schema.graphql`."""
    # Strawberry doesn't print a schema's description.
    before, roots, after = SCHEMA.as_str().partition("schema {")
    return f'{before}"""\n{_description()}\n"""\n{roots}{after}\n'
