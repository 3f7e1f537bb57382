"""The adapter to Asaas (API v3): Pix charges, merchants' accounts and transfers over HTTPS.

`client` speaks HTTP and knows deadlines and quotas, `failures` says what an answer means for the port, `words`
translates money, dates and states; one module for each thing that the port asks. ADR 0023 has the decisions.
"""

from gateway.integrations.engines.asaas.client import AsaasClient, open_http
from gateway.integrations.engines.asaas.engine import AsaasEngine

__all__ = ["AsaasClient", "AsaasEngine", "open_http"]
