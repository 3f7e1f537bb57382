"""The engine `bcb`: a bank through the Central Bank's Pix API (api-pix 2.9). See ADR 0034."""

from gateway.integrations.engines.bcb.client import BankClient
from gateway.integrations.engines.bcb.connection import Connection
from gateway.integrations.engines.bcb.engine import BcbEngine

__all__ = ["BankClient", "BcbEngine", "Connection"]
