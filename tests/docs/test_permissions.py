"""`docs/permissions.md` is what the operations say of themselves."""

import re
import runpy

from gateway.resolvers.access import Permission
from gateway.resolvers.operation import REGISTRY
from tests.docs.pages import ROOT, Page
from tests.doors.table import BY_NAME

PAGE = Page(ROOT / "docs/permissions.md")
ROW = re.compile(
    r"^\| `(?P<name>[a-z_]+\.[a-z_]+)` \| (?P<paths>[^|]+) \| (?P<field>[^|]+) \|(?P<cells>.+)\|$", re.MULTILINE
)
ROLES = ("owner", "admin", "finance", "operator", "viewer")


def test_the_page_of_permissions_is_up_to_date() -> None:
    page = runpy.run_path(str(ROOT / "scripts/permissions_page.py"))["page"]()
    assert PAGE.text == page, "run `make schema`"


def test_every_operation_that_a_person_or_a_program_calls_is_on_it_with_its_field() -> None:
    rows = {row["name"]: row for row in ROW.finditer(PAGE.text)}
    assert set(rows) == {name for name, each in REGISTRY.items() if each.permission is not Permission.system}
    for name, row in BY_NAME.items():
        assert rows[name]["field"] == f"`{row.field}`", name


def test_a_few_rows_as_the_contract_has_them() -> None:
    """So that a fault of the script doesn't pass for the rule."""
    rows = {row["name"]: [cell.strip() for cell in row["cells"].split("|")] for row in ROW.finditer(PAGE.text)}
    by_role = {
        name: dict(zip((*ROLES, "key", "scope", "anonymous", "staff"), cells, strict=False))
        for name, cells in rows.items()
    }
    may = {name: {role for role in ROLES if cells[role] == "✓"} for name, cells in by_role.items()}
    assert may["charges.list"] == set(ROLES)
    assert may["charges.issue"] == {"owner", "admin", "operator"}
    assert may["charges.export"] == {"owner", "admin", "finance"}
    assert may["members.invite"] == {"owner", "admin"}
    assert may["api_keys.create"] == {"owner"}
    assert by_role["api_keys.create"]["admin"] == "TITULAR"
    assert by_role["charges.issue"]["viewer"] == "PAPEL"
    assert by_role["members.invite"]["key"] == "PAINEL"
    scopes = ("charges.issue", "charges.list", "coupons.update", "withdrawals.request", "accounts.me", "clocks.advance")
    assert [by_role[name]["scope"] for name in (*scopes, "members.invite", "checkout.pay")] == [
        *("`charges`", "`read`", "`catalogue`", "`withdrawals`", "any", "none", "", "")
    ]
    assert (by_role["staff.list_merchants"]["owner"], by_role["staff.list_merchants"]["staff"]) == ("ADMIN", "✓")
    assert (by_role["checkout.pay"]["anonymous"], by_role["charges.list"]["anonymous"]) == ("✓", "401")
