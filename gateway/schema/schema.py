"""The schema: each room brings its part of Query and Mutation."""

import strawberry
from graphql import GraphQLSchema, get_nullable_type

from gateway import errors
from gateway.errors import GatewayError
from gateway.schema.accounts import AccountsMutation, AccountsQuery
from gateway.schema.api_keys import ApiKeysMutation, ApiKeysQuery
from gateway.schema.audit import AuditQuery
from gateway.schema.charges import ChargesMutation, ChargesQuery
from gateway.schema.checkout import CheckoutMutation, CheckoutQuery
from gateway.schema.clocks import ClocksMutation, ClocksQuery
from gateway.schema.catalogue import CouponsMutation, CouponsQuery
from gateway.schema.customers import CustomersMutation, CustomersQuery
from gateway.schema.staff import DifferencesMutation, DifferencesQuery
from gateway.schema.members import MembersMutation, MembersQuery
from gateway.schema.catalogue import PaymentLinksMutation, PaymentLinksQuery
from gateway.schema.production import ProductionMutation, ProductionQuery
from gateway.schema.catalogue import ProductsMutation, ProductsQuery
from gateway.schema.receiving import ReceivingMutation, ReceivingQuery
from gateway.schema.repayments import RepaymentsMutation, RepaymentsQuery
from gateway.schema.roadmap import RoadmapMutation, RoadmapQuery
from gateway.schema.strawberry_types import CONFIG
from gateway.schema.accounts import SessionsMutation, SessionsQuery
from gateway.schema.staff import StaffMutation, StaffQuery
from gateway.schema.subscriptions import SubscriptionsMutation, SubscriptionsQuery
from gateway.schema.accounts import TwoFactorMutation, TwoFactorQuery
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
    WithdrawalsQuery,
    RepaymentsQuery,
    DifferencesQuery,
    RoadmapQuery,
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
    StaffMutation,
    WithdrawalsMutation,
    RepaymentsMutation,
    DifferencesMutation,
    RoadmapMutation,
):
    pass


SCHEMA = strawberry.Schema(Query, Mutation, config=CONFIG)


def _let_roots_fail_alone(schema: GraphQLSchema) -> None:
    """What is refused is null beside its error. Were it not allowed to be, all of `data` would be: the answers of other
    commands, charges that were issued and keys that are shown once, and of a panel's page all that its reader may see.
    """
    assert schema.query_type is not None
    assert schema.mutation_type is not None
    for field in (*schema.query_type.fields.values(), *schema.mutation_type.fields.values()):
        field.type = get_nullable_type(field.type)


_let_roots_fail_alone(SCHEMA._schema)  # noqa: SLF001  # Strawberry offers no public way to its graphql-core schema.


def _description() -> str:
    """What the schema says of itself: above all of `errors`, which no type describes."""
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, GatewayError)]
    codes = sorted({kind.codigo for kind in kinds if kind.codigo is not None})
    return (
        "Pix Gateway: cobranças Pix para lojas.\n\n"
        "Cada erro tem em `extensions` o `status` que a API REST daria e, quando um programa precisa decidir por ele, "
        "um `codigo`. Dados inválidos têm `campos`: uma lista de `{campo, mensagem}`. Os códigos:\n"
        + ", ".join(codes)
        + "."
    )


SCHEMA._schema.description = _description()  # noqa: SLF001  # As above.


def sdl() -> str:
    """The schema in its definition language: what `gateway schema` prints and `schema.graphql` holds."""
    # Strawberry prints no description of a schema.
    roots = "schema {\n  query: Query\n  mutation: Mutation\n}"
    return f'"""\n{_description()}\n"""\n{roots}\n\n{SCHEMA.as_str()}\n'
