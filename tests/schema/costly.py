"""The most expensive requests that an attacker could write: documents, variables and bodies."""

from typing import Any

import orjson


def document(query: str, **variables: Any) -> bytes:
    return orjson.dumps({"query": query, "variables": variables})


def repeated(count: int, text: str, around: str = "{}") -> str:
    """`text`, repeated; each `#` becomes the number of the repetition."""
    return around.replace("{}", "{ " + " ".join(text.replace("#", str(number)) for number in range(count)) + " }")


def fragments(count: int, on: str, text: str) -> str:
    return " ".join(f"fragment F{n} on {on} {text.replace('#', str(n))}" for n in range(count))


ROWS = "charges(first: 100) { edges { node "
LEAVES = "id txid status description amount netAmount createdAt expiresAt paidAt environment"
ORDER = "mutation($i: IssueChargeInput!) { issueCharge(input: $i) { id } }"
ONBOARD = "mutation($x: JSON) { completeOnboarding(input: {extra: $x}) { answers } }"

ANYBODY: dict[str, bytes] = {
    "a name a thousand times": document(repeated(999, "__typename")),
    "aliases": document(repeated(128, "a#: me { environment }")),
    "an error for each alias": document(repeated(128, 'a#: charge(id: "#") { id }')),
    "errors behind many lines": document("\n" * 90_000 + repeated(128, 'a#: charge(id: "#") { id }')),
    "nested introspection": document(repeated(41, "a#: __schema { types { fields { type { fields { name } } } } }")),
    "ten introspections": document(repeated(10, "a#: __schema { types { fields { type { fields { name } } } } }")),
    "introspection, each field by many names": document(
        repeated(120, "a#: fields { name description }", "{ __schema { types {} } }")
    ),
    "introspection in fragments": document(
        "{ __schema { types { ...A ...B } } } fragment A on __Type { fields { ...C } } "
        "fragment B on __Type { fields { args { type { ...D } } } } fragment C on __Field { type { ...D } } "
        "fragment D on __Type { name kind fields { name description } ofType { name ofType { name } } }"
    ),
    "unknown fields": document(repeated(990, "chargess#")),
    "unknown arguments": document(repeated(1600, "filte#: 1").join(("{ charges(", ") { totalCount } }")).replace("({", "(").replace("})", ")")),
    "unknown input fields": document("{ charges(filter: " + repeated(990, "statu#: 1") + ") { totalCount } }"),
    "wrong values of an enum": document("{ charges(order: [" + "created_at_des " * 990 + "]) { totalCount } }"),
    "variables that nothing uses": document("query(" + "".join(f"$v{n}: Int " for n in range(1200)) + ") { __typename }"),
    "variables of unknown types": document("query(" + "".join(f"$v{n}: Nada " for n in range(1200)) + ") { __typename }"),
    "many operations": document(" ".join(f"query A{n} {{ me {{ ...F }} }}" for n in range(50)) + " fragment F on Identity { environment }"),
    "too many operations": document(" ".join(f"query A{n} {{ me {{ environment }} }}" for n in range(700))),
    "fragments that nothing spreads": document("{ __typename } " + fragments(600, "Query", "{ __typename }")),
    "fragments that multiply": document("{ ...F0 } " + " ".join(f"fragment F{n} on Query {{ ...F{n + 1} ...F{n + 1} }}" for n in range(300))),
    "fragments within each other": document(
        "{ ...F0 } " + fragments(30, "Query", "{ " + " ".join(f"...F{n}" for n in range(30)) + " }")
    ),
    "fields that merge, in fragments": document(
        repeated(99, "...F#") + fragments(99, "Query", "{ me { environment user { id } } }")
    ),
    "fields that merge, with arguments": document(
        "{ " + 'charges(filter: {q: "a", status: paid, createdFrom: "2020-01-01"}) { totalCount } ' * 50 + "}"
    ),
    "fields that conflict": document("{ " + "a: me { environment } a: __typename " * 20 + "}"),
    "directives": document("{ __typename " + "@include(if: true) " * 600 + "}"),
    "inline fragments": document("{ " + "... { " * 95 + "__typename" + " }" * 95 + " }"),
    "comments": document("#\n" * 48_000 + "{ __typename }"),
    "commas": document("," * 99_000 + "{ __typename }"),
    "a long text": document('{ charge(id: "' + "a" * 99_000 + '") { id } }'),
    "a text of many lines": document('{ charge(id: """' + "a\n" * 49_000 + '""") { id } }'),
    "a long name": document("{ " + "a" * 99_000 + " }"),
    "a long number": document("{ charges(first: " + "9" * 99_000 + ") { totalCount } }"),
    "a deep list": document("{ charge(id: " + "[" * 2000 + "]" * 2000 + ") { id } }"),
    "a wide object": document("mutation { issueCharge(input: {metadata: " + repeated(990, "k#: #") + "}) { id } }"),
    "a key again and again": document("mutation { issueCharge(input: {metadata: " + repeated(990, "k: 1") + "}) { id } }"),
    "logins": document(
        repeated(10, 'a#: login(input: {email: "x#@example.com", password: "errada errada"}) { accessToken }', "mutation {}")
    ),
    "too many logins": document(
        repeated(100, 'a#: login(input: {email: "x#@example.com", password: "errada errada"}) { accessToken }', "mutation {}")
    ),
    "many wrong values": document(
        'mutation($s: [Scope!]) { createApiKey(input: {name: "a", environment: test, scopes: $s}) { key } }', s=["x"] * 250_000
    ),
    "wrong values within the limit": document(
        'mutation($s: [Scope!]) { createApiKey(input: {name: "a", environment: test, scopes: $s}) { key } }', s=["x"] * 4900
    ),
    "unknown keys": document(
        "mutation($i: LoginInput!) { login(input: $i) { accessToken } }", i={f"passwor{n}": 1 for n in range(4900)}
    ),
    "a long value": document("query($s: ID) { charge(id: $s) { id } }", s="a" * 1_000_000),
    "a long value in many places": document(
        repeated(120, "a#: charge(id: $s) { id }", "query($s: ID) {}"), s="a" * 1_000_000
    ),
    "empty lists": b'{"query": "{ __typename }", "variables": {"a": [' + b"[]," * 330_000 + b"[]]}}",
    "quotes before colons": b'{"query": "{ __typename }", "variables": {"a": "' + b'\\":' * 300_000 + b'"}}',
    "long numbers": b'{"query": "{ __typename }", "variables": {"a": [' + b"12345678901234567890," * 45_000 + b"1]}}",
}  # fmt: skip

A_MERCHANT: dict[str, bytes] = {
    "lists": document(repeated(50, f"a#: {ROWS} {{ id amount }} }} }}")),
    "lists with many fields": document(repeated(50, f"a#: {ROWS} {{ {LEAVES} }} }} }}")),
    "lists with directives": document(repeated(50, f"a#: {ROWS} {{ id @include(if: true) amount status }} }} }}")),
    "lists with what belongs to each row": document(repeated(50, f"a#: {ROWS} {{ customer {{ id name }} }} }} }}")),
    "a list, each field by many names": document("{ " + ROWS + repeated(127, "a#: description") + " } } }"),
    "lists within lists": document(f"{{ customers(first: 49) {{ edges {{ node {{ {ROWS} {{ {LEAVES} }} }} }} }} }} }} }}"),
    "images": document(repeated(5, f"a#: {ROWS} {{ qrCodeUrl }} }} }}")),
    "totals": document(repeated(128, 'a#: charges(first: 0, filter: {q: "a#"}) { totalCount }')),
    "exact totals": document(repeated(128, 'a#: charges(first: 0, filter: {q: "a#"}) { totalCount(exact: true) }')),
    "reads": document(repeated(128, 'a#: charge(id: "0198f3c2-5d0e-7c31-8000-000000000000") { id }')),
    "answers by the dozen": document(ONBOARD, x={f"k{n}": "v" * 20_000 for n in range(45)}),
    "answers, again and again": document(
        repeated(10, "a#: completeOnboarding(input: {extra: $x}) { answers }", "mutation($x: JSON) {}"),
        x={f"k{n}": "v" * 2000 for n in range(45)},
    ),
    "answers, sixty times": document(
        repeated(60, "a#: completeOnboarding(input: {extra: $x}) { answers }", "mutation($x: JSON) {}"), x="v" * 900_000
    ),
    "new passwords": document(
        repeated(
            10,
            'a#: changePassword(input: {currentPassword: "errada errada", newPassword: "outra senha comprida #"}) { accessToken }',
            "mutation {}",
        )
    ),
    "a long amount": document(ORDER, i={"amount": "1" * 1_000_000}),
    "a long e-mail": document(ORDER, i={"amount": 5, "customerEmail": "a." * 400_000 + "@example.com"}),
    "a long phone": document(ORDER, i={"amount": 5, "customerPhone": "1-" * 400_000}),
    "a long date": document(ORDER, i={"amount": 5, "expiresAt": "2026-" * 150_000}),
    "much metadata": document(ORDER, i={"amount": 5, "metadata": {f"k{n}": "v" * 200 for n in range(4000)}}),
}  # fmt: skip
