"""The OpenAPI 3.1 document, made from the table of paths and the operations' own inputs and results.

`gateway openapi` prints it; `make schema` commits it as `gateway/rest_compat/openapi.json`, which is what a process
serves: nothing is generated while requests wait.
"""

from gateway.rest_compat.openapi.document import openapi

__all__ = ["openapi"]
