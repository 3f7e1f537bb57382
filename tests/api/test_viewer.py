"""`viewer`: who calls, in which store, and which fields that caller may use now."""

from typing import Any

import pytest
from msgspec.structs import replace

from gateway.app import Gateway
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.actor import Role
from gateway.resolvers.core.context import Services
from gateway.resolvers.core.listing.exports import Export
from gateway.schema.root_fields import operations_by_field
from gateway.schema.schema import SCHEMA
from tests.api.actors import CALLERS, Caller, Scene, expected_refusal
from tests.api.table import ROWS
from tests.api.test_roles import refusal
from tests.api_client import Api, Merchant
from tests.applicants import staff_member
from tests.members import join

QUERY = """{ viewer {
    store { id name productionStatus } role environment isStaff lacksSecondFactor operations refused { operation codigo }
} }"""
FIELDS = operations_by_field(SCHEMA)
EXPORTS = {field for field, operation in FIELDS.items() if operation.result_type is Export}
SUBACCOUNT_ONLY = {"openReceivingAccount", "simulateReceivingReview", "requestWithdrawal", "quoteWithdrawal"}
"""Refused in single-account mode, to everybody."""


def test_each_field_is_that_of_its_operation() -> None:
    assert {row.field: row.operation for row in ROWS}.items() <= {
        field: operation.name for field, operation in FIELDS.items()
    }.items()


@pytest.mark.parametrize("role", Role)
async def test_a_member_sees_the_store_and_what_the_role_may_call(api: Api, role: Role) -> None:
    owner, person = await api.register_merchant(company="Loja Azul"), await api.register_merchant()
    if role is Role.owner:
        person = owner
    else:
        await join(owner, person, role)
    viewer = await read(api, person.token, x_store=owner.id)
    assert viewer["store"] == {"id": owner.id, "name": "Loja Azul", "productionStatus": "sandbox"}
    assert (viewer["role"], viewer["environment"], viewer["isStaff"]) == (role, "test", False)
    permitted = {
        field
        for field, operation in FIELDS.items()
        if operation.permission is Permission.public or refusal(operation, role) is None
    }
    assert viewer["operations"] == sorted(permitted - SUBACCOUNT_ONLY)
    assert [each["operation"] for each in viewer["refused"]] == sorted(permitted & SUBACCOUNT_ONLY)


@pytest.mark.parametrize("caller", [caller for caller in CALLERS if caller.refused is None], ids=lambda each: each.name)
async def test_a_credential_sees_what_it_may_call(api: Api, services: Services, caller: Caller) -> None:
    scene = Scene(api, services, await api.register_merchant(), await api.register_merchant())
    viewer = await read(api, await caller.credential(scene))
    permitted = {field for field, operation in FIELDS.items() if expected_refusal(operation, caller) is None}
    refused = SUBACCOUNT_ONLY if caller.panel else SUBACCOUNT_ONLY | EXPORTS
    assert viewer["operations"] == sorted(permitted - refused)
    assert (viewer["isStaff"], viewer["lacksSecondFactor"]) == (caller.staff, False)
    assert viewer["environment"] == ("live" if caller.live else "test")
    expected = {field: expected_refusal(operation, caller) for field, operation in FIELDS.items()}
    conflicts = {field: found.codigo for field, found in expected.items() if found and found.status == 409}
    codes = {each["operation"]: each["codigo"] for each in viewer["refused"]}
    assert without(codes, SUBACCOUNT_ONLY) == without(conflicts, SUBACCOUNT_ONLY)


async def test_a_restricted_key_sees_what_its_scopes_allow(api: Api) -> None:
    merchant = await api.register_merchant()
    form = {"name": "caixa", "environment": "test", "scopes": ["charges"]}
    made = await api.post("/api-keys", form, token=merchant.token)
    operations = (await read(api, made.json()["data"]["key"]))["operations"]
    assert {"issueCharge", "me", "viewer", "login"} <= set(operations)
    assert {"charges", "createProduct", "updateProfile", "createApiKey"}.isdisjoint(operations)


async def test_staff_have_no_rights_of_their_own_in_the_stores_of_others(api: Api, services: Services) -> None:
    staff, owner = await staff_member(api, services), await api.register_merchant()
    await join(owner, staff, "viewer")
    at_home, elsewhere = await read(api, staff.token), await read(api, staff.token, x_store=owner.id)
    assert at_home["isStaff"]
    assert "approveMerchant" in at_home["operations"]
    assert not elsewhere["isStaff"]
    assert "approveMerchant" not in elsewhere["operations"]


async def test_staff_without_the_required_second_factor_lacks_it(api: Api, services: Services) -> None:
    staff, merchant = await staff_member(api, services), await api.register_merchant()
    strict = services.settings.model_copy(update={"staff_requires_2fa": True})
    async with Api.of(Gateway(strict, replace(services, settings=strict))) as required:
        found, other = await read(required, staff.token), await read(required, merchant.token)
    assert (found["isStaff"], found["lacksSecondFactor"]) == (False, True)
    assert "merchants" not in found["operations"]
    assert (other["isStaff"], other["lacksSecondFactor"]) == (False, False)


async def test_a_stranger_sees_no_viewer(api: Api, merchant: Merchant) -> None:
    answer = await api.request("POST", "/graphql", {"query": QUERY}, token=merchant.token, x_store=UNKNOWN_STORE)
    assert answer.json()["errors"][0]["extensions"]["codigo"] == "LOJA_NAO_AUTORIZADA"


UNKNOWN_STORE = "01890000-0000-7000-8000-000000000000"


def without(codes: dict[str, str], fields: set[str]) -> dict[str, str]:
    return {field: code for field, code in codes.items() if field not in fields}


async def read(api: Api, token: str | None, **headers: str) -> dict[str, Any]:
    answer = await api.request("POST", "/graphql", {"query": QUERY}, token=token, **headers)
    body = answer.json()
    assert "errors" not in body, body
    viewer: dict[str, Any] = body["data"]["viewer"]
    return viewer
