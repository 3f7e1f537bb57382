"""Errors of graphql-core about documents are translated to Portuguese, without the values in the documents."""

import re
import time

import pytest
from graphql import GraphQLError, GraphQLScalarType, build_schema

from gateway.schema.document_cache import DocumentCache
from gateway.schema.errors import MAX_MESSAGE_CHARACTERS, MESSAGES, SYNTAX_MESSAGES, translate_error
from tests.api_client import Api

SECRET = "segredo"

SCHEMA = build_schema("""
    type Query { charge(id: ID!): Charge  items(first: Int, share: Float, name: String, paid: Boolean, kind: Kind, order: Order, any: Any): [Item]  all: [Item] }
    type Charge { id: ID!  amount: Int }
    type Item { id: ID! }
    scalar Any
    enum Kind { BIG SMALL }
    input Order { name: String!  price: Int }
    interface Thing { id: ID! }
    type Box implements Thing { id: ID!  size: Int }
    extend type Query { thing: Thing }
    type Subscription { changes: Box }
""")


def _refuse(*_: object) -> None:
    raise ValueError(SECRET)


_scalar = SCHEMA.type_map["Any"]
assert isinstance(_scalar, GraphQLScalarType)
_scalar.parse_literal = _refuse  # type: ignore[method-assign]  # A scalar that refuses all values.
REFUSED = {
    "{ charg { id } }": ["O tipo 'Query' não tem o campo 'charg'. Você quis dizer 'charge' ou 'thing'?"],
    '{ charge(id: "1") { i } }': ["O tipo 'Charge' não tem o campo 'i'. Você quis dizer 'id'?"],
    "{ thing { size } }": ["O tipo 'Thing' não tem o campo 'size'. Você quis dizer um fragmento em 'Box'?"],
    "{ all }": ["O campo 'all', do tipo '[Item]', pede uma seleção de campos. Você quis dizer 'all { ... }'?"],
    "{ all { id { x } } }": ["O campo 'id' não aceita seleção: o tipo 'ID!' não tem campos."],
    '{ charge(id: "1") { id id: amount } }': [
        "Os campos 'id' de uma mesma seleção diferem no nome, nos argumentos ou no tipo. Use apelidos (aliases) diferentes."
    ],
    "{ all(first: 1) { id } }": ["O campo 'Query.all' não tem o argumento 'first'."],
    "{ all @skip(if: true, because: 1) { id } }": ["A diretiva '@skip' não tem o argumento 'because'."],
    "{ charge { id } }": ["O argumento 'Query.charge(id:)', do tipo 'ID!', é obrigatório."],
    "query ($a: Kinds) { items(kind: $a) { id } }": [
        "O tipo 'Kinds' não existe. Você quis dizer 'Kind', 'ID' ou 'Int'?"
    ],
    "{ all @foo { id } }": ["A diretiva '@foo' não existe."],
    "query @skip(if: true) { all { id } }": ["A diretiva '@skip' não pode ser usada aqui."],
    "{ all @skip(if: true) @skip(if: true) { id } }": ["A diretiva '@skip' só pode ser usada uma vez no mesmo lugar."],
    "{ all { ...F } }": ["O fragmento 'F' não existe."],
    "fragment F on Item { id } { all { id } }": ["O fragmento 'F' não é usado."],
    "fragment F on Item { ...F } { all { ...F } }": ["O fragmento 'F' contém a si mesmo."],
    "fragment F on Item { ...G } fragment G on Item { ...F } { all { ...F } }": ["O fragmento 'F' contém a si mesmo."],
    "{ all { ... on Charge { id } } }": ["O fragmento não cabe aqui: o tipo 'Item' nunca é 'Charge'."],
    "fragment F on Charge { id } { all { ...F } }": ["O fragmento 'F' não cabe aqui: o tipo 'Item' nunca é 'Charge'."],
    "{ all { ... on Kind { id } } }": ["Um fragmento não pode ser do tipo 'Kind', que não tem campos."],
    "fragment F on Kind { id } { all { ...F } }": ["O fragmento 'F' não pode ser do tipo 'Kind', que não tem campos."],
    "query Q { charge(id: $a) { id } }": ["A operação 'Q' não declara a variável '$a'."],
    "{ charge(id: $a) { id } }": ["A operação não declara a variável '$a'."],
    "query Q($a: Int) { all { id } }": ["A operação 'Q' não usa a variável '$a'."],
    "query ($a: Int) { all { id } }": ["A operação não usa a variável '$a'."],
    "query ($a: Int) { charge(id: $a) { id } }": ["A variável '$a', do tipo 'Int', está onde cabe o tipo 'ID!'."],
    "query ($a: Item) { items(order: $a) { id } }": [
        "A variável '$a' não pode ser do tipo 'Item', que é só de respostas.",
        "A variável '$a', do tipo 'Item', está onde cabe o tipo 'Order'.",
    ],
    "query Q { all { id } } query Q { all { id } }": ["Há mais de uma operação com o nome 'Q'."],
    "fragment F on Item { id } fragment F on Item { id } { all { ...F } }": ["Há mais de um fragmento com o nome 'F'."],
    "query ($a: ID!, $a: ID!) { charge(id: $a) { id } }": ["Há mais de uma variável com o nome '$a'."],
    '{ charge(id: "1", id: "2") { id } }': ["Há mais de um argumento com o nome 'id'."],
    '{ items(order: {name: "a", name: "b"}) { id } }': ["Há mais de um campo de entrada com o nome 'name'."],
    "{ all { id } } query Q { all { id } }": ["Num documento com mais de uma operação, cada uma deve ter um nome."],
    "subscription { changes { id } b: changes { id } }": ["Uma assinatura (subscription) pede um campo só."],
    "subscription { __typename }": ["Uma assinatura (subscription) não pede campos de introspecção."],
    "subscription ($a: Boolean!) { changes @skip(if: $a) { id } }": [
        "Uma assinatura (subscription) não usa `@skip` nem `@include` em seu campo."
    ],
    "mutation { all { id } }": ["Não há operações do tipo mutation."],
    "type X { a: Int } { all { id } }": ["O documento só pode ter operações e fragmentos."],
    "{ charge(id: null) { id } }": ["O valor, do tipo 'ID!', não pode ser nulo."],
    "{ items(order: 5) { id } }": ["O valor, do tipo 'Order', deve ser um objeto."],
    "{ items(order: {price: 5}) { id } }": ["Falta o campo 'name', obrigatório em 'Order'."],
    '{ items(order: {name: "segredo", prise: 1}) { id } }': [
        "O tipo 'Order' não tem o campo 'prise'. Você quis dizer 'price'?"
    ],
    '{ items(order: {name: "segredo", other: 1}) { id } }': ["O tipo 'Order' não tem o campo 'other'."],
    '{ items(first: "segredo") { id } }': ["O valor deve ser um número inteiro, de até 32 bits."],
    '{ items(share: "segredo") { id } }': ["O valor deve ser um número."],
    "{ items(name: 123456) { id } }": ["O valor deve ser um texto."],
    "{ charge(id: 1.5) { id } }": ["O valor deve ser um texto."],
    '{ items(paid: "segredo") { id } }': ["O valor deve ser true ou false."],
    '{ items(any: "segredo") { id } }': ["O valor não cabe no tipo 'Any'."],
    "{ items(kind: BIGG) { id } }": ["O tipo 'Kind' não tem o valor 'BIGG'. Você quis dizer 'BIG'?"],
    '{ items(kind: "segredo") { id } }': ["O valor não é um dos de 'Kind'."],
    "{ __schema { types { fields { type { fields { type { fields { type { fields { name } } } } } } } } } }": [
        "A introspecção é profunda demais."
    ],
    "{ all { id }": ["Erro de sintaxe: esperava-se um nome, e há o fim do documento."],
    '{ all { "segredo" } }': ["Erro de sintaxe: esperava-se um nome, e há um texto."],
    "query Q all": ["Erro de sintaxe: esperava-se '{', e há o nome 'all'."],
    "{ all { id } } }": ["Erro de sintaxe: não se esperava '}'."],
    "{ all(first: é) }": ["Erro de sintaxe: não se esperava o caractere U+00E9."],
    "{ all(name: 'a') }": ["Erro de sintaxe: textos vão entre aspas duplas."],
    '{ all(name: "a) }': ["Erro de sintaxe: um texto não termina."],
    '{ all(name: "\\u12") }': ["Erro de sintaxe: um texto tem um escape Unicode inválido."],
    '{ all(name: "\\x") }': ["Erro de sintaxe: um texto tem um escape inválido."],
    "{ all(first: 01) }": ["Erro de sintaxe: um número está malformado."],
    "{ all ..F }": ["Erro de sintaxe: um fragmento começa com três pontos."],
    '{ all(name: "\n") }': ["Erro de sintaxe: um texto não termina."],
    '{ all(name: "\ud800") }': ["Erro de sintaxe: um texto não pode ter o caractere U+D800."],
    "{ all { id } }" + " " + "{ all { id } }" * 1000: [
        "Erro de sintaxe: o documento passa do limite de 5000 símbolos (tokens)."
    ],
    "{ all " * 400: ["Erro de sintaxe: o documento é profundo demais."],
}
WITHOUT_LOCATION = {
    "{ a b c d e f g }": [
        *(f"O tipo 'Query' não tem o campo '{name}'." for name in "abcde"),
        "Há mais erros; corrija estes primeiro.",
    ],
    "{ "
    + " ".join(f"...F{n}" for n in range(80))
    + " }"
    + " ".join(f"fragment F{n} on Query {{ all {{ id }} items {{ id }} thing {{ id }} }}" for n in range(80)): [
        "O documento é profundo demais, ou repete campos demais."
    ],
}
"""Errors of a whole document, without a location."""
HIDDEN = {"{ __schema { __typename } }": ["A introspecção está desligada, e a consulta pede o campo '__schema'."]}


@pytest.mark.parametrize("document", [*REFUSED, *HIDDEN])
def test_errors_of_a_document_are_in_portuguese(document: str) -> None:
    prepared = DocumentCache(SCHEMA, introspection=document in REFUSED).prepare(document)
    assert [error.message for error in prepared.errors] == (REFUSED | HIDDEN)[document]
    assert all(error.locations for error in prepared.errors)
    assert SECRET not in str([error.message for error in prepared.errors])


@pytest.mark.parametrize("document", WITHOUT_LOCATION)
def test_errors_without_a_location_are_in_portuguese(document: str) -> None:
    prepared = DocumentCache(SCHEMA, introspection=False).prepare(document)
    assert [error.message for error in prepared.errors] == WITHOUT_LOCATION[document]


@pytest.mark.parametrize("sentence", [*MESSAGES.values(), *SYNTAX_MESSAGES.values()])
def test_every_translated_message_exists_in_graphql_core(sentence: str) -> None:
    pattern = re.compile(re.sub(r"\\{\w+\\}", ".+", re.escape(sentence)))
    assert any(
        pattern.search(message) for messages in (REFUSED | WITHOUT_LOCATION | HIDDEN).values() for message in messages
    )


def test_unknown_messages_are_not_translated() -> None:
    assert translate_error(GraphQLError("A sentence of tomorrow.")).message == "A sentence of tomorrow."
    assert translate_error(GraphQLError("Syntax Error: Tomorrow.")).message == "Erro de sintaxe: Tomorrow."


@pytest.mark.parametrize(
    "template", ["Cannot query field '{}' on type 'Query'.", "Expected value of type 'Int', found: '{}'."]
)
@pytest.mark.parametrize("filling", ["x", "' on type '", " Did you mean '", "', found: '", "Expected Name, found "])
def test_long_names_and_values_are_translated_quickly(template: str, filling: str) -> None:
    endless = template.format(filling * 100_000)
    started = time.perf_counter()
    message = translate_error(GraphQLError(endless)).message
    assert time.perf_counter() - started < 0.1
    assert len(message) <= MAX_MESSAGE_CHARACTERS


async def test_an_error_over_http_has_its_location(api: Api) -> None:
    answer = await api.request("POST", "/graphql", {"query": "{ me { nome } }"})
    assert answer.status_code == 400
    assert answer.json() == {
        "errors": [
            {
                "message": "O tipo 'Identity' não tem o campo 'nome'.",
                "locations": [{"line": 1, "column": 8}],
                "extensions": {"status": 400},
            }
        ]
    }
