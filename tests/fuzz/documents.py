"""Documents over the whole GraphQL schema: valid ones with friendly and hostile values, and such that are none."""

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
from tests.fuzz.actors import Cast

CORE = SCHEMA._schema
assert CORE.query_type is not None
assert CORE.mutation_type is not None
QUERIES, MUTATIONS = list(CORE.query_type.fields), list(CORE.mutation_type.fields)
DEEPEST = 5
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
_PLACES = {
    "customer": "/customers",
    "product": "/products",
    "coupon": "/coupons",
    "charge": "/pix",
    "apiKey": "/api-keys",
}
_PLACES |= {
    "subscription": "/subscriptions",
    "paymentLink": "/payment-links",
    "member": "/members",
    "merchant": "/admin/lojistas",
}
_PLACES |= {
    "webhook": "/webhook-endpoints",
    "endpoint": "/webhook-endpoints",
    "auditRecord": "/audit",
    "roadmap": "/roadmap",
}
_PLACES |= {"withdrawal": "/withdrawals", "repayment": "/admin/repayments", "difference": "/admin/differences"}


@dataclass
class Asked:
    """One GraphQL request."""

    query: str
    variables: dict[str, Any] = field(default_factory=dict)

    @property
    def body(self) -> dict[str, Any]:
        return {"query": self.query, "variables": self.variables}


class Author:
    """Writes one document after the other. `hostility`: how likely a value is one that nobody means."""

    def __init__(self, random: Random, cast: Cast, hostility: float) -> None:
        self.random, self._cast, self._hostility = random, cast, hostility
        self._declared: dict[str, tuple[str, Any]] = {}
        self._fragments: list[str] = []
        self._aliases = 0

    def query(self, root: str) -> Asked:
        """A query that begins with this field, and may go on with others."""
        others = self.random.sample(QUERIES, self.random.choice([0, 0, 0, 1, 2]))
        return self._document("query", CORE.query_type, [root, *others])

    def mutation(self, root: str) -> Asked:
        others = self.random.sample(MUTATIONS, self.random.choice([0, 0, 0, 0, 1]))
        return self._document("mutation", CORE.mutation_type, [root, *others])

    def broken(self, root: str) -> Asked:
        """What was a document, before somebody fell asleep on the keyboard."""
        asked = self.query(root)
        for _ in range(self.random.randint(1, 3)):
            asked.query = self._hit(asked.query)
        if self.random.random() < 0.3 and asked.variables:
            asked.variables.pop(self.random.choice(list(asked.variables)))
        return asked

    def _document(self, kind: str, parent: GraphQLObjectType | None, roots: list[str]) -> Asked:
        assert parent is not None
        self._declared, self._fragments, self._aliases = {}, [], 0
        body = " ".join(self._field(root, root, parent.fields[root], DEEPEST) for root in roots)
        if self.random.random() < 0.1:
            body += " __typename @include(if: $yes)"
            self._declared["yes"] = ("Boolean!", self.random.random() < 0.5)
        head = ", ".join(f"${name}: {kind_of}" for name, (kind_of, _) in self._declared.items())
        text = f"{kind} {f'({head})' if head else ''} {{ {body} }} {' '.join(self._fragments)}"
        return Asked(text, {name: value for name, (_, value) in self._declared.items()})

    def _field(self, root: str, name: str, definition: GraphQLField, depth: int) -> str:
        arguments = [
            f"{argument}: {self._argument(root, argument, given)}"
            for argument, given in definition.args.items()
            if is_required_argument(given) or self.random.random() < 0.6
        ]
        # What has arguments gets a name of its own, so that two of them never conflict.
        self._aliases += 1
        alias = f"a{self._aliases}: " if arguments or depth == DEEPEST else ""
        called = f"({', '.join(arguments)})" if arguments else ""
        return f"{alias}{name}{called} {self._selection(root, definition.type, depth - 1)}".strip()

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

    def _argument(self, root: str, name: str, given: Any) -> str:
        value = self._value(root, name, given.type)
        if self.random.random() < 0.5 or not _can_be_written(value):
            self._declared[f"v{len(self._declared)}"] = (str(given.type), value)
            return f"$v{len(self._declared) - 1}"
        return _literal(given.type, value)

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
        drafted = self._cast.drafts.get(root, {})
        for drafted_name, value in drafted.items():
            if to_camel_case(drafted_name) == name and self.random.random() < 0.7:
                return value
        return self._leaf(root, name, kind.name)

    def _object(self, root: str, kind: GraphQLInputObjectType) -> dict[str, Any]:
        drafted = {to_camel_case(name) for name in self._cast.drafts.get(root, {})}
        return {
            name: self._value(root, name, each.type)
            for name, each in kind.fields.items()
            if is_required_input_field(each) or self.random.random() < (0.9 if name in drafted else 0.15)
        }

    def _leaf(self, root: str, name: str, kind: str) -> Any:
        if name in FRIENDLY:
            return self.random.choice(FRIENDLY[name])
        if kind == "ID" or name.endswith("Id"):
            about = name.removesuffix("Id") if name.endswith("Id") else root
            place = next((place for word, place in _PLACES.items() if word.lower() in about.lower()), "/pix")
            return self.random.choice([*(self._cast.known.get(place) or [new_id()]), new_id()])
        if name in {"txid", "slug"}:
            return self.random.choice(self._cast.known.get(name) or ["x"])
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

    def _hit(self, text: str) -> str:
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


def _can_be_written(value: Any) -> bool:
    """Whether the language has a literal for it; a lone surrogate is sent as a variable, where JSON refuses it."""
    if isinstance(value, dict):
        return all(name.isidentifier() and name.isascii() for name in value) and all(
            map(_can_be_written, value.values())
        )
    if isinstance(value, list):
        return all(map(_can_be_written, value))
    return not (isinstance(value, float) and abs(value) == float("inf"))


def _literal(kind: Any, value: Any) -> str:
    if isinstance(kind, GraphQLNonNull):
        return _literal(kind.of_type, value)
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "null"}[value]
    if isinstance(value, str):
        is_name = isinstance(kind, GraphQLEnumType) and value in kind.values
        return value if is_name else '"' + "".join(_escaped(letter) for letter in value) + '"'
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


def _escaped(letter: str) -> str:
    plain = letter.isascii() and letter.isprintable() and letter not in '"\\'
    return letter if plain or ord(letter) > 0xFFFF else f"\\u{ord(letter):04x}"
