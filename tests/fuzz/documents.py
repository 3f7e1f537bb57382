"""Generates documents over the whole GraphQL schema: valid ones with usual and hostile values, and broken ones."""

import string
from dataclasses import dataclass, field
from random import Random
from typing import Any

from graphql import (
    GraphQLEnumType,
    GraphQLField,
    GraphQLInputObjectType,
    GraphQLList,
    GraphQLNonNull,
    GraphQLObjectType,
    get_named_type,
    is_leaf_type,
    is_required_argument,
    is_required_input_field,
)
from strawberry.utils.str_converters import to_camel_case

from gateway.schema.schema import SCHEMA
from gateway.values.ids import new_id
from tests.fuzz.actors import Actors

CORE = SCHEMA._schema
assert CORE.query_type is not None
assert CORE.mutation_type is not None
QUERIES, MUTATIONS = list(CORE.query_type.fields), list(CORE.mutation_type.fields)
MAX_DEPTH = 5
NEARBY = "http://127.0.0.1:18009/"

HOSTILE: list[Any] = [
    *("", " ", "\x00", "a\x00b", "a\x1b[0m", "\u2028", "\ufeff", "\ud800", "x\udfff", "𝟝", "İ", "ß" * 300, "x" * 9000),
    *("' or 1=1 --", "'; drop table users; --", "$1", "%s%n", "{{7*7}}", "${jndi:ldap://127.0.0.1/x}", "<script>"),
    *("../../etc/passwd", "file:///etc/passwd", "http://169.254.169.254/", "http://[::1]:1/", "javascript:alert(1)"),
    *("0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "9999-12-31T23:59:59-14:00", "2026-02-30", "-1", "1e400"),
    *("NaN", "00000000-0000-0000-0000-000000000000", "8D3C6F7E-1B0A-4F6E-9B55-6A1C3F0C9F10", "52998224725\n"),
    *(0, -1, 1, 2**31 - 1, 2**31, -(2**31) - 1, 2**53 + 1, 2**63, 10**40, 0.1, 5.005, -0.0, 1e-400, 1e308, 99999999.99),
    *(True, False, None, [], [[]], [None], {}, {"a": {"b": [1]}}, ["x", 1], [{"id": None}]),
]
TOKENS = [
    *"{}()[]:!$@|=&\"'",
    "...",
    "null",
    "query",
    "fragment",
    "on",
    "@skip",
    "\x00",
    "\ud800",
    '"""',
    "#",
    "𝟝",
    "\ufeff",
]
MOMENTS = ["2026-11-22T12:00:00Z", "2030-01-31", "2099-12-31T23:59:59.999999-03:00", "1970-01-01T00:00:00Z"]
FRIENDLY: dict[str, list[Any]] = {
    "url": [NEARBY],
    "email": ["maria@example.com"],
    "customerEmail": ["jose@example.com"],
    "cpf": ["529.982.247-25"],
    "customerCpf": ["52998224725"],
    "cnpj": ["11.222.333/0001-81"],
    "phone": ["11988887777"],
    "first": [1, 3, 50, 100],
    "last": [2],
}
_PATHS = {
    "customer": "/customers",
    "product": "/products",
    "coupon": "/coupons",
    "charge": "/pix",
    "apiKey": "/api-keys",
}
_PATHS |= {
    "subscription": "/subscriptions",
    "paymentLink": "/payment-links",
    "member": "/members",
    "merchant": "/admin/lojistas",
}
_PATHS |= {
    "webhook": "/webhook-endpoints",
    "endpoint": "/webhook-endpoints",
    "auditRecord": "/audit",
    "roadmap": "/roadmap",
}
_PATHS |= {"withdrawal": "/withdrawals", "repayment": "/admin/repayments", "difference": "/admin/differences"}


@dataclass
class GraphqlRequest:
    """One GraphQL request."""

    query: str
    variables: dict[str, Any] = field(default_factory=dict)

    @property
    def body(self) -> dict[str, Any]:
        return {"query": self.query, "variables": self.variables}


class DocumentWriter:
    """Generates documents. `hostility` is the probability of an invalid or extreme value."""

    def __init__(self, random: Random, actors: Actors, hostility: float) -> None:
        self.random, self._actors, self._hostility = random, actors, hostility
        self._declared: dict[str, tuple[str, Any]] = {}
        self._fragments: list[str] = []
        self._aliases = 0

    def query(self, root: str) -> GraphqlRequest:
        """A query of this field, sometimes with others."""
        others = self.random.sample(QUERIES, self.random.choice([0, 0, 0, 1, 2]))
        return self._document("query", CORE.query_type, [root, *others])

    def mutation(self, root: str) -> GraphqlRequest:
        others = self.random.sample(MUTATIONS, self.random.choice([0, 0, 0, 0, 1]))
        return self._document("mutation", CORE.mutation_type, [root, *others])

    def broken(self, root: str) -> GraphqlRequest:
        """A document with random typing errors."""
        request = self.query(root)
        for _ in range(self.random.randint(1, 3)):
            request.query = self._garble(request.query)
        if self.random.random() < 0.3 and request.variables:
            request.variables.pop(self.random.choice(list(request.variables)))
        return request

    def _document(self, kind: str, parent: GraphQLObjectType | None, roots: list[str]) -> GraphqlRequest:
        assert parent is not None
        self._declared, self._fragments, self._aliases = {}, [], 0
        body = " ".join(self._field(root, root, parent.fields[root], MAX_DEPTH) for root in roots)
        if self.random.random() < 0.1:
            body += " __typename @include(if: $yes)"
            self._declared["yes"] = ("Boolean!", self.random.random() < 0.5)
        head = ", ".join(f"${name}: {kind_of}" for name, (kind_of, _) in self._declared.items())
        text = f"{kind} {f'({head})' if head else ''} {{ {body} }} {' '.join(self._fragments)}"
        return GraphqlRequest(text, {name: value for name, (_, value) in self._declared.items()})

    def _field(self, root: str, name: str, definition: GraphQLField, depth: int) -> str:
        arguments = [
            f"{argument}: {self._argument(root, argument, argument_type)}"
            for argument, argument_type in definition.args.items()
            if is_required_argument(argument_type) or self.random.random() < 0.6
        ]
        # Fields with arguments get a unique alias, to avoid conflicts.
        self._aliases += 1
        alias = f"a{self._aliases}: " if arguments or depth == MAX_DEPTH else ""
        argument_list = f"({', '.join(arguments)})" if arguments else ""
        return f"{alias}{name}{argument_list} {self._selection(root, definition.type, depth - 1)}".strip()

    def _selection(self, root: str, kind: Any, depth: int) -> str:
        named = get_named_type(kind)
        if not isinstance(named, GraphQLObjectType):
            return ""
        within = {
            name: each for name, each in named.fields.items() if depth > 0 or is_leaf_type(get_named_type(each.type))
        }
        if not within:
            return "{ __typename }"
        chosen = set(self.random.sample(list(within), min(len(within), self.random.randint(1, 8))))
        chosen |= within.keys() & {"edges", "node"}
        body = " ".join(self._field(root, name, within[name], depth) for name in within if name in chosen)
        if self.random.random() < 0.1:
            return f"{{ ... on {named.name} {{ {body} }} __typename }}"
        if self.random.random() < 0.1:
            self._fragments.append(f"fragment F{len(self._fragments)} on {named.name} {{ {body} }}")
            return f"{{ ...F{len(self._fragments) - 1} }}"
        return f"{{ {body} }}"

    def _argument(self, root: str, name: str, argument_type: Any) -> str:
        value = self._value(root, name, argument_type.type)
        if self.random.random() < 0.5 or not _has_literal(value):
            self._declared[f"v{len(self._declared)}"] = (str(argument_type.type), value)
            return f"$v{len(self._declared) - 1}"
        return _literal(argument_type.type, value)

    def _value(self, root: str, name: str, kind: Any) -> Any:
        if self.random.random() < self._hostility:
            return NEARBY if name == "url" else self.random.choice(HOSTILE)
        if isinstance(kind, GraphQLNonNull):
            return self._value(root, name, kind.of_type)
        if isinstance(kind, GraphQLList):
            return [self._value(root, name, kind.of_type) for _ in range(self.random.randint(0, 2))]
        if isinstance(kind, GraphQLInputObjectType):
            return self._object(root, kind)
        return self._scalar(root, name, kind)

    def _scalar(self, root: str, name: str, kind: Any) -> Any:
        if isinstance(kind, GraphQLEnumType):
            return self.random.choice(list(kind.values))
        prepared = self._actors.raw_inputs.get(root, {})
        for prepared_name, value in prepared.items():
            if to_camel_case(prepared_name) == name and self.random.random() < 0.7:
                return value
        return self._leaf(root, name, kind.name)

    def _object(self, root: str, kind: GraphQLInputObjectType) -> dict[str, Any]:
        prepared = {to_camel_case(name) for name in self._actors.raw_inputs.get(root, {})}
        return {
            name: self._value(root, name, each.type)
            for name, each in kind.fields.items()
            if is_required_input_field(each) or self.random.random() < (0.9 if name in prepared else 0.15)
        }

    def _leaf(self, root: str, name: str, kind: str) -> Any:
        if name in FRIENDLY:
            return self.random.choice(FRIENDLY[name])
        if kind == "ID" or name.endswith("Id"):
            about = name.removesuffix("Id") if name.endswith("Id") else root
            path = next((path for word, path in _PATHS.items() if word.lower() in about.lower()), "/pix")
            return self.random.choice([*(self._actors.known.get(path) or [new_id()]), new_id()])
        if name in {"txid", "slug"}:
            return self.random.choice(self._actors.known.get(name) or ["x"])
        if kind == "DateTime" or name.endswith(("At", "From", "To", "since", "to")):
            return self.random.choice(MOMENTS)
        plain: dict[str, Any] = {
            "Int": self.random.randint(1, 100),
            "Float": self.random.random(),
            "Boolean": self.random.random() < 0.5,
            "Reais": self.random.choice([5, 10.5, 1299.99]),
            "DiscountValue": 10,
            "JSON": {"cor": "azul"},
        }
        return plain.get(
            kind, "".join(self.random.choices(string.ascii_letters + " çãé", k=self.random.randint(1, 20)))
        )

    def _garble(self, text: str) -> str:
        at, to = sorted(self.random.randrange(len(text) + 1) for _ in range(2))
        to = min(to, at + 12)
        return self.random.choice(
            [
                text[:at] + text[to:],
                text[:at] + self.random.choice(TOKENS) + text[at:],
                text[:at] + text[at:to] * 2 + text[to:],
                text[:at] + "x" + text[at:],
                text[:at],
            ]
        )


def _has_literal(value: Any) -> bool:
    """Whether GraphQL has a literal for the value."""
    if isinstance(value, dict):
        return all(name.isidentifier() and name.isascii() for name in value) and all(map(_has_literal, value.values()))
    if isinstance(value, list):
        return all(map(_has_literal, value))
    return not (isinstance(value, float) and abs(value) == float("inf"))


def _literal(kind: Any, value: Any) -> str:
    if isinstance(kind, GraphQLNonNull):
        return _literal(kind.of_type, value)
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "null"}[value]
    if isinstance(value, str):
        is_name = isinstance(kind, GraphQLEnumType) and value in kind.values
        return value if is_name else '"' + "".join(_escaped(char) for char in value) + '"'
    if isinstance(value, list):
        inner = kind.of_type if isinstance(kind, GraphQLList) else kind
        return f"[{', '.join(_literal(inner, item) for item in value)}]"
    if isinstance(value, dict):
        known = kind.fields if isinstance(kind, GraphQLInputObjectType) else {}
        written = (
            f"{name}: {_literal(known[name].type if name in known else kind, item)}" for name, item in value.items()
        )
        return "{" + ", ".join(written) + "}"
    return repr(value)


def _escaped(char: str) -> str:
    plain = char.isascii() and char.isprintable() and char not in '"\\'
    return char if plain or ord(char) > 0xFFFF else f"\\u{ord(char):04x}"
