"""Errors as GraphQL shows them: the same message, `codigo`, status and extra members as REST, under `extensions`."""

import re
from collections.abc import Mapping
from typing import Any

from graphql import GraphQLError

from gateway.errors import UNEXPECTED_MESSAGE, GatewayError
from gateway.telemetry import UNEXPECTED, log


def format_error(error: GraphQLError, request_id: str) -> dict[str, Any]:
    """One member of `errors`. An unexpected error is masked, and logged with the request's id."""
    formatted_error: dict[str, Any] = {"message": error.message}
    if error.locations:
        formatted_error["locations"] = [location.formatted for location in error.locations]
    if error.path:
        formatted_error["path"] = error.path
    cause = error.original_error
    if isinstance(cause, GatewayError):
        formatted_error["message"] = cause.message
        formatted_error["extensions"] = _extensions(cause)
    elif cause is None or isinstance(cause, GraphQLError):
        formatted_error["extensions"] = {"status": 400, **(error.extensions or {})}
    else:
        UNEXPECTED.inc()
        log.error("unexpected_error", request_id=request_id, path=error.path, exc_info=cause)
        formatted_error["message"] = UNEXPECTED_MESSAGE
        formatted_error["extensions"] = {"status": 500, "id": request_id}
    return formatted_error


def format_gateway_error(error: GatewayError) -> dict[str, Any]:
    """One of our errors that was raised before the execution."""
    return {"message": error.message, "extensions": _extensions(error)}


def _extensions(error: GatewayError) -> dict[str, Any]:
    codigo = {"codigo": error.codigo} if error.codigo else {}
    return {"status": error.status, **codigo, **error.extra}


# Translations of graphql-core's messages. They are recognised by their form; names in them stay, values are left out,
# for a password may be among them. Unknown messages stay in English.
MAX_MESSAGE_CHARACTERS = 1000
MESSAGES = {
    "Cannot query field '{field}' on type '{type}'.": "O tipo '{type}' não tem o campo '{field}'.",
    "Field '{field}' of type '{type}' must have a selection of subfields.": "O campo '{field}', do tipo '{type}', pede uma seleção de campos.",
    "Field '{field}' must not have a selection since type '{type}' has no subfields.": "O campo '{field}' não aceita seleção: o tipo '{type}' não tem campos.",
    "Fields '{field}' conflict because {rest}": "Os campos '{field}' de uma mesma seleção diferem no nome, nos argumentos ou no tipo. Use apelidos (aliases) diferentes.",
    "Unknown argument '{argument}' on field '{field}'.": "O campo '{field}' não tem o argumento '{argument}'.",
    "Unknown argument '{argument}' on directive '{name}'.": "A diretiva '{name}' não tem o argumento '{argument}'.",
    "Argument '{argument}' of type '{type}' is required, but it was not provided.": "O argumento '{argument}', do tipo '{type}', é obrigatório.",
    "Unknown type '{type}'.": "O tipo '{type}' não existe.",
    "Unknown directive '{name}'.": "A diretiva '{name}' não existe.",
    "Directive '{name}' may not be used on {place}.": "A diretiva '{name}' não pode ser usada aqui.",
    "The directive '{name}' can only be used once at this location.": "A diretiva '{name}' só pode ser usada uma vez no mesmo lugar.",
    "Unknown fragment '{fragment}'.": "O fragmento '{fragment}' não existe.",
    "Fragment '{fragment}' is never used.": "O fragmento '{fragment}' não é usado.",
    "Cannot spread fragment '{fragment}' within itself{rest}": "O fragmento '{fragment}' contém a si mesmo.",
    "Fragment cannot be spread here as objects of type '{type}' can never be of type '{other}'.": "O fragmento não cabe aqui: o tipo '{type}' nunca é '{other}'.",
    "Fragment '{fragment}' cannot be spread here as objects of type '{type}' can never be of type '{other}'.": "O fragmento '{fragment}' não cabe aqui: o tipo '{type}' nunca é '{other}'.",
    "Fragment cannot condition on non composite type '{type}'.": "Um fragmento não pode ser do tipo '{type}', que não tem campos.",
    "Fragment '{fragment}' cannot condition on non composite type '{type}'.": "O fragmento '{fragment}' não pode ser do tipo '{type}', que não tem campos.",
    "Variable '{variable}' is not defined by operation '{operation}'.": "A operação '{operation}' não declara a variável '{variable}'.",
    "Variable '{variable}' is not defined.": "A operação não declara a variável '{variable}'.",
    "Variable '{variable}' is never used in operation '{operation}'.": "A operação '{operation}' não usa a variável '{variable}'.",
    "Variable '{variable}' is never used.": "A operação não usa a variável '{variable}'.",
    "Variable '{variable}' of type '{type}' used in position expecting type '{other}'.": "A variável '{variable}', do tipo '{type}', está onde cabe o tipo '{other}'.",
    "Variable '{variable}' cannot be non-input type '{type}'.": "A variável '{variable}' não pode ser do tipo '{type}', que é só de respostas.",
    "There can be only one operation named '{name}'.": "Há mais de uma operação com o nome '{name}'.",
    "There can be only one fragment named '{name}'.": "Há mais de um fragmento com o nome '{name}'.",
    "There can be only one variable named '{name}'.": "Há mais de uma variável com o nome '{name}'.",
    "There can be only one argument named '{name}'.": "Há mais de um argumento com o nome '{name}'.",
    "There can be only one input field named '{name}'.": "Há mais de um campo de entrada com o nome '{name}'.",
    "This anonymous operation must be the only defined operation.": "Num documento com mais de uma operação, cada uma deve ter um nome.",
    "{rest} must select only one top level field.": "Uma assinatura (subscription) pede um campo só.",
    "{rest} must not select an introspection top level field.": "Uma assinatura (subscription) não pede campos de introspecção.",
    "{rest} must not use `@skip` or `@include` directives in the top level selection.": "Uma assinatura (subscription) não usa `@skip` nem `@include` em seu campo.",
    "The {kind} operation is not supported by the schema.": "Não há operações do tipo {kind}.",
    "The {rest} definition is not executable.": "O documento só pode ter operações e fragmentos.",
    "Too many validation errors, error limit reached. Validation aborted.": "Há mais erros; corrija estes primeiro.",
    "Validation aborted.": "O documento é profundo demais, ou repete campos demais.",
    "Maximum introspection depth exceeded": "A introspecção é profunda demais.",
    "GraphQL introspection has been disabled, but the requested query contained the field '{field}'.": "A introspecção está desligada, e a consulta pede o campo '{field}'.",
    "Expected value of non-null type '{type}' not to be None.": "O valor, do tipo '{type}', não pode ser nulo.",
    "Expected value of type '{type}' to be an object, found: {rest}": "O valor, do tipo '{type}', deve ser um objeto.",
    "Expected value of type '{type}' to include required field '{field}', found: {rest}": "Falta o campo '{field}', obrigatório em '{type}'.",
    "Expected value of type '{type}' not to include unknown field '{field}'{rest}": "O tipo '{type}' não tem o campo '{field}'.",
    "Expected value of type '{type}'{rest}": "O valor não cabe no tipo '{type}'.",
    "Int cannot represent {rest}": "O valor deve ser um número inteiro, de até 32 bits.",
    "Float cannot represent {rest}": "O valor deve ser um número.",
    "String cannot represent {rest}": "O valor deve ser um texto.",
    "ID cannot represent {rest}": "O valor deve ser um texto.",
    "Boolean cannot represent {rest}": "O valor deve ser true ou false.",
    "Value '{value}' does not exist in '{type}' enum.": "O tipo '{type}' não tem o valor '{value}'.",
    "Enum '{type}' cannot represent {rest}": "O valor não é um dos de '{type}'.",
}  # fmt: skip
_SYNTAX = "Syntax Error: "
SYNTAX_MESSAGES = {
    "Expected {wanted}, found {found}.": "esperava-se {wanted}, e há {found}.",
    "Unexpected character: {code}.": "não se esperava o caractere {code}.",
    "Invalid character within String: {code}.": "um texto não pode ter o caractere {code}.",
    "Unexpected single quote character ('), did you mean to use a double quote (\")?": "textos vão entre aspas duplas.",
    "Unexpected {found}.": "não se esperava {found}.",
    "Unterminated string.": "um texto não termina.",
    "Invalid number, {rest}": "um número está malformado.",
    "Invalid Unicode escape sequence: {rest}": "um texto tem um escape Unicode inválido.",
    "Invalid character escape sequence: {rest}": "um texto tem um escape inválido.",
    "Unexpected '..', did you mean '...'?": "um fragmento começa com três pontos.",
    "Document contains more than {count} tokens. Parsing aborted.": "o documento passa do limite de {count} símbolos (tokens).",
    "Document is nested too deeply. Parsing aborted.": "o documento é profundo demais.",
}  # fmt: skip
_TOKENS = {"<EOF>": "o fim do documento", "Name": "um nome", "String": "um texto", "BlockString": "um texto"}
_TOKENS |= {"Int": "um número", "Float": "um número", "Comment": "um comentário"}
_SUGGESTION = re.compile(r" Did you mean (?P<kind>to use an inline fragment on |the enum value )?(?P<names>'[^?]*')\?")


def _pattern(message: str, inside: str) -> re.Pattern[str]:
    escaped = re.sub(r"\\{(\w+)\\}", rf"(?P<\1>{inside})", re.escape(message))
    return re.compile(escaped.replace(f"(?P<rest>{inside})", "(?P<rest>.*)"), re.DOTALL)


_OF_RULES = {_pattern(english, "[^']*"): portuguese for english, portuguese in MESSAGES.items()}
_OF_SYNTAX = {_pattern(english, ".+?"): portuguese for english, portuguese in SYNTAX_MESSAGES.items()}


def translate_error(error: GraphQLError) -> GraphQLError:
    """The error in Portuguese, with the same locations."""
    return GraphQLError(_translate(error.message[:MAX_MESSAGE_CHARACTERS]), error.nodes, error.source, error.positions)


def _translate(message: str) -> str:
    if message.startswith(_SYNTAX):
        return f"Erro de sintaxe: {_match(message.removeprefix(_SYNTAX), _OF_SYNTAX)}"
    suggestion = _SUGGESTION.search(message)
    if suggestion is None:
        return _match(message, _OF_RULES)
    text = message[: suggestion.start()] + message[suggestion.end() :]
    names = suggestion["names"].replace(", or ", " ou ").replace(" or ", " ou ")
    kind = "um fragmento em " if (suggestion["kind"] or "").startswith("to use") else ""
    return f"{_match(text, _OF_RULES)} Você quis dizer {kind}{names}?"


def _match(text: str, messages: Mapping[re.Pattern[str], str]) -> str:
    for pattern, portuguese in messages.items():
        if found := pattern.fullmatch(text):
            tokens = messages is _OF_SYNTAX
            return portuguese.format(
                **{name: _token(part) if tokens else part for name, part in found.groupdict().items()}
            )
    return text


def _token(text: str) -> str:
    """A token as the parser names it: `Name`, `Name 'charge'`, `'{'`. The content of a string is left out."""
    kind, _, value = text.partition(" ")
    return f"o nome {value}" if kind == "Name" and value else _TOKENS.get(kind, text)
