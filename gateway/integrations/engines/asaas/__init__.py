"""The adapter to Asaas (API v3): Pix charges, accounts, transfers and refunds over HTTPS (ADR 0023).

`client` does HTTP, timeouts and rate limits; `failures` maps error responses, and `mapping` money, dates and states.
"""

from gateway.integrations.engines.asaas.client import AsaasClient, open_http
from gateway.integrations.engines.asaas.engine import AsaasEngine

__all__ = ["AsaasClient", "AsaasEngine", "open_http"]
