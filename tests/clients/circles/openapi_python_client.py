"""The cycle with the client that openapi-python-client generates from the OpenAPI document."""

from openapi_python.api.accounts import register
from openapi_python.api.api_keys import create_api_key
from openapi_python.api.charges import issue_charge, list_charges, simulate_payment
from openapi_python.client import AuthenticatedClient, Client
from openapi_python.models import (
    ApiEnvironment,
    ApiError,
    ChargeById,
    ChargeStatus,
    CreateApiKey,
    CreateApiKeyResponse201,
    IssueChargeResponse201,
    ListChargesResponse200,
    ManualCharge,
    Register,
    RegisterResponse201,
    SimulatePaymentResponse200,
)
from shop import AMOUNTS, GATEWAY, MERCHANT, ORDER, TOO_SMALL, show


def order(amount: float) -> ManualCharge:
    return ManualCharge.from_dict({"amount": amount, **ORDER})


session = register.sync(client=Client(GATEWAY), body=Register.from_dict(MERCHANT))
assert isinstance(session, RegisterResponse201)
panel = AuthenticatedClient(GATEWAY, token=session.data.access_token)
created = create_api_key.sync(client=panel, body=CreateApiKey(name="loja", environment=ApiEnvironment.TEST))
assert isinstance(created, CreateApiKeyResponse201)
client = AuthenticatedClient(GATEWAY, token=created.data.key)

statuses = []
for amount in AMOUNTS:
    issued = issue_charge.sync(client=client, body=order(amount))
    assert isinstance(issued, IssueChargeResponse201)
    paid = simulate_payment.sync(client=client, body=ChargeById(id=issued.data.id))
    assert isinstance(paid, SimulatePaymentResponse200)
    statuses.append(paid.data.status.value)

pages: list[list[float]] = []
more = True
while more:
    found = list_charges.sync(client=client, page=len(pages) + 1, limit=2, status=ChargeStatus.PAID)
    assert isinstance(found, ListChargesResponse200)
    pages.append([charge.amount for charge in found.data])
    more = bool(found.pagination and found.pagination.has_more)

refused = issue_charge.sync(client=client, body=order(TOO_SMALL))
assert isinstance(refused, ApiError)
show(statuses, pages, refused.error.message, str(refused.error.codigo))
