"""The tables of `docs/lists.md`: every list with its paths, orders and filters, and every export."""

from typing import Any

from gateway.resolvers.core.listing.exports import Export
from gateway.resolvers.core.listing.inputs import ListInput, Period
from gateway.rest_compat.routes import ENDPOINTS

NAMES = {
    "/pix": "charges",
    "/charges": "charges",
    "/customers": "customers",
    "/products": "products",
    "/coupons": "coupons",
    "/payment-links": "payment links",
    "/subscriptions": "subscriptions",
    "/withdrawals": "withdrawals",
    "/refunds": "refunds",
    "/repayments": "[repayments](withdrawals.md#repayments)",
    "/api-keys": "API keys",
    "/members": "members",
    "/webhook-endpoints": "[webhook endpoints](webhooks.md)",
    "/webhook-endpoints/{id}/deliveries": "deliveries of an endpoint",
    "/events": "[events](webhooks.md#events)",
    "/webhook-deliveries": "deliveries to all endpoints",
    "/audit": "[audit trail](audit.md)",
    "/roadmap": "[roadmap](accounts.md#the-roadmap-board)",
    "/roadmap/{id}/comments": "comments on an item of the roadmap",
    "/admin/lojistas": "admins: merchants",
    "/admin/withdrawals": "admins: withdrawals of all stores",
    "/admin/repayments": "admins: repayments to all stores",
    "/admin/differences": "admins: discrepancies",
}
_NO_FILTERS = {*ListInput.model_fields, *Period.model_fields, "id", "include"}


def lists_table() -> str:
    """A row for each list: its paths, and what it has besides the orders and filters of every list."""
    inputs = {
        endpoint.path: endpoint.operation.input_type
        for endpoint in ENDPOINTS
        if issubclass(endpoint.operation.input_type, ListInput) and endpoint.operation.result_type is not Export
    }
    if difference := sorted(inputs.keys() ^ NAMES.keys()):
        raise SystemExit(f"lists without a name, or names without a list: {', '.join(difference)}")
    paths: dict[str, list[str]] = {}
    for path, name in NAMES.items():
        paths.setdefault(name, []).append(path)
    rows = ["| list | path | sorts | filters |", "|---|---|---|---|"]
    for name, same in paths.items():
        cells = [", ".join(f"`GET {path}`" for path in same), _sorts(inputs[same[0]]), _filters(inputs[same[0]])]
        rows.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(rows)


def exports_list() -> str:
    """The path of each export."""
    paths = [
        endpoint.path for endpoint in ENDPOINTS if endpoint.operation.result_type is Export and not endpoint.internal
    ]
    return "\n".join(f"* `GET {path}`" for path in paths)


def _sorts(kind: type[ListInput]) -> str:
    orders: Any = kind.model_fields["sort"].annotation
    names = (order.value.removeprefix("-") for order in orders)
    return ", ".join(f"`{name}`" for name in dict.fromkeys(names) if name != "created_at")


def _filters(kind: type[ListInput]) -> str:
    return ", ".join(f"`{name}`" for name in kind.model_fields if name not in _NO_FILTERS)
