"""The cycle with the client that ariadne-codegen generates from the schema and `operations.graphql`."""

from ariadne_client import Client, CreateApiKeyInput, GraphQLClientGraphQLMultiError, IssueChargeInput, RegisterInput
from ariadne_client.enums import Environment
from shop import AMOUNTS, GATEWAY, MERCHANT, ORDER, TOO_SMALL, show


def connect(credential: str | None = None) -> Client:
    headers = {"authorization": f"Bearer {credential}"} if credential else {}
    return Client(f"{GATEWAY}/graphql", headers)


def order(amount: float) -> IssueChargeInput:
    return IssueChargeInput(amount=amount, **ORDER)


session = connect().register(RegisterInput(**MERCHANT)).register
assert session
created = connect(session.access_token).create_api_key(CreateApiKeyInput(name="loja", environment=Environment.test))
assert created.create_api_key
client = connect(created.create_api_key.key)

statuses = []
for amount in AMOUNTS:
    issued = client.issue_charge(order(amount)).issue_charge
    assert issued
    paid = client.simulate_payment(issued.id).simulate_payment
    assert paid
    statuses.append(paid.status.value)

pages: list[list[float]] = []
after, more = None, True
while more:
    found = client.charges(first=2, after=after).charges
    assert found
    pages.append([edge.node.amount for edge in found.edges])
    after, more = found.page_info.end_cursor, found.page_info.has_next_page

try:
    client.issue_charge(order(TOO_SMALL))
except GraphQLClientGraphQLMultiError as refused:
    error = refused.errors[0]
    show(statuses, pages, error.message, (error.extensions or {})["codigo"])
