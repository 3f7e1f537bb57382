"""A small GraphQL schema with names of the examples, to test the page without the product."""

import enum

import strawberry


@strawberry.enum(description="Teste não move dinheiro.")
class Environment(enum.Enum):
    test = "test"
    live = "live"


@strawberry.type(description="O titular da conta.")
class User:
    id: strawberry.ID
    name: str
    email: str
    production_status: str


@strawberry.type(description="Uma sessão do painel, válida por uma hora.")
class Session:
    access_token: str
    environment: Environment
    user: User


@strawberry.input
class RegisterInput:
    name: str
    email: str
    password: str
    cnpj: str


@strawberry.type
class Query:
    @strawberry.field(description="O cabeçalho Authorization, como chegou.")
    def authorization(self, info: strawberry.Info) -> str | None:
        return info.context["request"].headers.get("authorization")


@strawberry.type
class Mutation:
    @strawberry.mutation(description="Cadastra um lojista e inicia a sessão dele.")
    def register(self, input: RegisterInput) -> Session:  # noqa: A002 -- the argument's name in the schema
        user = User(
            id=strawberry.ID("8d3c6f7e-1b0a-4f6e-9b55-6a1c3f0c9f10"),
            name=input.name,
            email=input.email,
            production_status="sandbox",
        )
        return Session(access_token="eyJ.sessao.de.teste", environment=Environment.test, user=user)


schema = strawberry.Schema(Query, Mutation)
