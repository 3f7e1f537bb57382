"""Finds the endpoint of a path, regardless of letter case and a trailing slash. There are no redirects."""

from collections.abc import Iterable
from typing import Any, Generic, TypeVar

from msgspec import Struct, field

from gateway.errors import MethodNotAllowed, NotFound

EndpointT = TypeVar("EndpointT")


class _Node(Struct, Generic[EndpointT]):
    """One segment of the tree of paths."""

    literal: dict[str, "_Node[EndpointT]"] = field(default_factory=dict)
    parameter: tuple[str, "_Node[EndpointT]"] | None = None
    methods: dict[str, EndpointT] = field(default_factory=dict)


class Paths(Generic[EndpointT]):
    """A tree of path segments. A literal segment wins over a parameter at the same place."""

    def __init__(self, table: Iterable[tuple[str, str, EndpointT]]) -> None:
        self._root: _Node[EndpointT] = _Node()
        for method, path, endpoint in table:
            node = self._enter(path)
            if node.methods.setdefault(method, endpoint) is not endpoint:
                raise ValueError(f"{method} {path} is a duplicate route")

    def find(self, method: str, path: str) -> tuple[EndpointT, dict[str, str]]:
        """The endpoint and its path parameters. Raises `NotFound`, `MethodNotAllowed`."""
        parameters: dict[str, str] = {}
        node = self._walk(path, parameters)
        if node is None or not node.methods:
            raise NotFound("Endereço não encontrado.")
        endpoint = node.methods.get("GET" if method == "HEAD" else method)
        if endpoint is None:
            raise MethodNotAllowed(node.methods)
        return endpoint, parameters

    def _enter(self, path: str) -> _Node[EndpointT]:
        node = self._root
        for segment in _segments(path):
            if segment.startswith("{"):
                if node.parameter is None:
                    node.parameter = (segment.strip("{}"), _Node())
                node = node.parameter[1]
            else:
                node = node.literal.setdefault(segment, _Node())
        return node

    def _walk(self, path: str, parameters: dict[str, str]) -> "_Node[EndpointT] | None":
        node = self._root
        for segment in _segments(path):
            child = node.literal.get(segment.lower())
            if child is not None:
                node = child
            elif node.parameter is not None and segment:
                parameters[node.parameter[0]] = segment
                node = node.parameter[1]
            else:
                return None
        return node


def _segments(path: str) -> list[Any]:
    return path.strip("/").split("/")
