"""A sample request in several languages."""

import json
import textwrap
from typing import Any

from msgspec import Struct

from gateway.rest_compat.documentation import ORIGIN

MISSING: Any = object()


class SampleRequest(Struct, frozen=True):
    """A sample request. `body` is MISSING when the operation takes no JSON; `form` holds
    the parts of a multipart one.
    """

    method: str
    path: str
    headers: dict[str, str]
    body: Any = MISSING
    form: tuple[tuple[str, str], ...] = ()


def pretty(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)


def samples(request: SampleRequest) -> dict[str, str]:
    """Language → code, in the order of the tabs."""
    if request.form:
        return {"curl": curl(request)}
    return {"curl": curl(request), "Python": python(request), "JavaScript": javascript(request)}


def curl(request: SampleRequest) -> str:
    implied = "GET" if request.body is MISSING and not request.form else "POST"  # curl's default.
    method = "" if request.method == implied else f"-X {request.method} "
    lines = [
        f'curl {method}"{ORIGIN}{request.path}"',
        *(f'  -H "{name}: {value}"' for name, value in request.headers.items()),
    ]
    if request.body is not MISSING:
        quoted = pretty(request.body).replace("'", "'\\''")
        lines += ['  -H "Content-Type: application/json"', f"  -d '{quoted}'"]
    lines += [f'  -F "{name}={value}"' for name, value in request.form]
    return " \\\n".join(lines)


def python(request: SampleRequest) -> str:
    arguments = [f'"{ORIGIN}{request.path}"']
    if request.headers:
        arguments.append(f"headers={_python_headers(request.headers)}")
    if request.body is not MISSING:
        arguments.append(f"json={literal(request.body)}")
    body = textwrap.indent(",\n".join(arguments) + ",", "    ")
    return f"import httpx\n\nresposta = httpx.{request.method.lower()}(\n{body}\n)\nprint(resposta.json())"


def literal(value: Any) -> str:
    """A JSON value as Python, formatted like its JSON."""
    if isinstance(value, dict) and value:
        members = "".join(f"{json.dumps(key, ensure_ascii=False)}: {literal(each)},\n" for key, each in value.items())
        return "{\n" + textwrap.indent(members, "    ") + "}"
    if isinstance(value, list):
        return f"[{', '.join(map(literal, value))}]"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)


def _python_headers(headers: dict[str, str]) -> str:
    pairs = (
        f'"{name}": ' + (f'f"{value.replace("$CHAVE", "{chave}")}"' if "$CHAVE" in value else f'"{value}"')
        for name, value in headers.items()
    )
    return "{" + ", ".join(pairs) + "}"


def javascript(request: SampleRequest) -> str:
    headers = dict(request.headers)
    options = [f'  method: "{request.method}",'] if request.method != "GET" else []
    if request.body is not MISSING:
        headers["Content-Type"] = "application/json"
    if headers:
        members = "\n".join(f'    "{name}": {_javascript_value(value)},' for name, value in headers.items())
        options.append("  headers: {\n" + members + "\n  },")
    if request.body is not MISSING:
        options.append(f"  body: JSON.stringify({textwrap.indent(pretty(request.body), '  ').lstrip()}),")
    second = ", {\n" + "\n".join(options) + "\n}" if options else ""
    return f'const resposta = await fetch("{ORIGIN}{request.path}"{second});\nconsole.log(await resposta.json());'


def _javascript_value(value: str) -> str:
    return f"`{value.replace('$CHAVE', '${chave}')}`" if "$CHAVE" in value else f'"{value}"'
