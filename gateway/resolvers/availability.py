"""Whether a coupon or a payment link can be used now: switched on, not expired and not used up.

The table stores the switch as the store set it. Views, filters and exports show the state of now.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import Table, and_, bindparam, or_

from gateway.resolvers.core.inputs import refuse_changed_past_end
from gateway.resolvers.core.listing.search import Condition
from gateway.resolvers.coupons.discount import used_up


def is_available(row: Mapping[str, Any], switch: str, now: datetime) -> bool:
    """Whether a row is switched on, not expired and not used up."""
    expired = row["expires_at"] is not None and row["expires_at"] <= now
    return bool(row[switch]) and not expired and not used_up(row)


def status_filter(table: Table, switch: str) -> dict[str, Condition]:
    """The filter `status`, which binds `now`."""
    columns = table.c
    now = bindparam("now", type_=columns.expires_at.type)
    available = and_(
        columns[switch],
        or_(columns.expires_at.is_(None), columns.expires_at > now),
        or_(columns.max_uses.is_(None), columns.uses_count < columns.max_uses),
    )
    return {"active": available, "inactive": ~available}


def derive_switch(switch: str, sent: Mapping[str, Any], now: datetime, before: Mapping[str, Any]) -> dict[str, Any]:
    """The stored switch, if a client sends a whole resource back with the switch as the API showed it. A switch that is
    sent alone is a change. Raises `InvalidInput` for a new end in the past.
    """
    refuse_changed_past_end("expires_at", sent.get("expires_at"), now, before["expires_at"])
    returned = sent.get(switch) is False and len(sent) > 1
    return {switch: before[switch]} if returned and not is_available(before, switch, now) else {}
