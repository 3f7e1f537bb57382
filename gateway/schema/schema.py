"""The schema, composed of each module's queries and mutations."""

import strawberry
from graphql import GraphQLSchema, get_nullable_type

from gateway import errors
from gateway.errors import GatewayError
from gateway.schema import (
    accounts,
    api_keys,
    audit,
    catalogue,
    charges,
    checkout,
    clocks,
    customers,
    live,
    members,
    production,
    receiving,
    refunds,
    repayments,
    roadmap,
    service,
    staff,
    subscriptions,
    webhooks,
    withdrawals,
)
from gateway.schema.strawberry_types import CONFIG


@strawberry.type(description="Leituras. Tudo pertence à loja e ao ambiente da credencial.")
class Query(
    accounts.AccountsQuery,
    api_keys.ApiKeysQuery,
    charges.ChargesQuery,
    customers.CustomersQuery,
    catalogue.ProductsQuery,
    catalogue.CouponsQuery,
    catalogue.PaymentLinksQuery,
    checkout.CheckoutQuery,
    subscriptions.SubscriptionsQuery,
    webhooks.WebhooksQuery,
    members.MembersQuery,
    clocks.ClocksQuery,
    production.ProductionQuery,
    receiving.ReceivingQuery,
    audit.AuditQuery,
    staff.StaffQuery,
    refunds.RefundsQuery,
    withdrawals.WithdrawalsQuery,
    repayments.RepaymentsQuery,
    staff.DifferencesQuery,
    roadmap.RoadmapQuery,
    service.ServiceQuery,
):
    pass


@strawberry.type(description="Comandos. `Idempotency-Key` vale para requisições com exatamente um campo de mutação.")
class Mutation(
    accounts.AccountsMutation,
    api_keys.ApiKeysMutation,
    charges.ChargesMutation,
    customers.CustomersMutation,
    catalogue.ProductsMutation,
    catalogue.CouponsMutation,
    catalogue.PaymentLinksMutation,
    checkout.CheckoutMutation,
    subscriptions.SubscriptionsMutation,
    webhooks.WebhooksMutation,
    members.MembersMutation,
    clocks.ClocksMutation,
    production.ProductionMutation,
    receiving.ReceivingMutation,
    audit.AuditMutation,
    staff.StaffMutation,
    refunds.RefundsMutation,
    withdrawals.WithdrawalsMutation,
    repayments.RepaymentsMutation,
    staff.DifferencesMutation,
    roadmap.RoadmapMutation,
):
    pass


SCHEMA = strawberry.Schema(Query, Mutation, live.Live, config=CONFIG)


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
