"""Third-party rule sets: GraphQL over HTTP, and linters of OpenAPI documents."""

import json

import pytest

from tests.clients.tools import DOCUMENT, Tools

pytestmark = pytest.mark.timeout(300)


def test_graphql_over_http(tools: Tools) -> None:
    """The audits of the npm package graphql-http: every MUST and every SHOULD."""
    printed = tools.run("node", tools.compile("audits"), tools.gateway)
    audits = [json.loads(line) for line in printed.splitlines()]
    assert len(audits) > 60
    failed = [audit for audit in audits if audit["status"] != "ok"]
    assert [audit for audit in failed if not audit["name"].startswith("MAY ")] == []


ALWAYS_502 = "the specification requires the response 502"
BODY = "requestBody/content/application~1json/schema"
MODES = "the modes exclude one another by forbidden properties, which the rule ignores"
REDOCLY = {
    ("no-illogical-composition-keywords", f"#/paths/~1pix/post/{BODY}/oneOf"): MODES,
    ("no-illogical-composition-keywords", f"#/paths/~1charges/post/{BODY}/oneOf"): MODES,
    ("no-illogical-composition-keywords", f"#/paths/~1pix~1simulate-payment/post/{BODY}/oneOf"): MODES,
    ("no-illogical-composition-keywords", f"#/paths/~1subscriptions/post/{BODY}/oneOf"): MODES,
    ("operation-2xx-response", "#/paths/~1pix~1cancel/post/responses"): ALWAYS_502,
    ("operation-2xx-response", "#/paths/~1pix~1refund/post/responses"): ALWAYS_502,
    (
        "no-ambiguous-paths",
        "#/paths/~1checkout~1{txid}~1simular-pagamento",
    ): "the specification names the paths; `link` is no txid, which has 32 characters",
}
SPECTRAL = {
    ("operation-success-response", "paths./pix/cancel.post.responses"): ALWAYS_502,
    ("operation-success-response", "paths./pix/refund.post.responses"): ALWAYS_502,
}


def test_redocly(tools: Tools) -> None:
    """Redocly's recommended rules: only the exceptions above."""
    printed = tools.run("redocly", "lint", str(DOCUMENT), "--config", "redocly.yaml", "--format", "json", codes=(0, 1))
    problems = json.loads(printed)["problems"]
    assert {(problem["ruleId"], problem["location"][0]["pointer"]) for problem in problems} <= REDOCLY.keys()


def test_spectral(tools: Tools) -> None:
    """Spectral's rules: only the exceptions above."""
    printed = tools.run(
        "spectral", "lint", str(DOCUMENT), "--ruleset", "spectral.yaml", "--format", "json", codes=(0, 1)
    )
    problems = json.loads(printed)
    assert {(problem["code"], ".".join(map(str, problem["path"]))) for problem in problems} <= SPECTRAL.keys()
