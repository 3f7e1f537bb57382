"""Forms posted by browsers, and field errors."""

import pytest
from starlette.datastructures import Headers
from starlette.types import Message

from gateway.checkout.form_errors import form_errors
from gateway.checkout.request import raw_input, read_form, typed_fields
from gateway.errors import (
    BodyTooLarge,
    CouponExhausted,
    EngineFailed,
    InvalidInput,
    MinimumAmount,
    NotFound,
    WrongContentType,
)

FORM = Headers({"content-type": "application/x-www-form-urlencoded; charset=UTF-8"})


async def read(body: bytes, headers: Headers = FORM) -> dict[str, str]:
    async def receive() -> Message:
        return {"type": "http.request", "body": body}

    return await read_form(receive, headers)


async def test_a_form_as_browsers_send_it() -> None:
    assert await read(b"customer_name=Jos%C3%A9+Pagador&acao=pagar&vazio=") == {
        "customer_name": "José Pagador",
        "acao": "pagar",
        "vazio": "",
    }


@pytest.mark.parametrize(
    ("body", "headers", "refusal"),
    [
        (b"a=" + b"x" * 20_000, FORM, BodyTooLarge),
        (b"a=%FF", FORM, InvalidInput),
        (b"\xff", FORM, InvalidInput),
        (b"&".join(b"a=1" for _ in range(51)), FORM, InvalidInput),
        (b"{}", Headers({"content-type": "application/json"}), WrongContentType),
    ],
)
async def test_a_body_that_is_not_a_form_is_refused(body: bytes, headers: Headers, refusal: type[Exception]) -> None:
    with pytest.raises(refusal):
        await read(body, headers)


def test_a_blank_field_counts_as_absent() -> None:
    typed = typed_fields({"customer_name": " Ana ", "customer_cpf": "  ", "user_id": "x"})

    assert typed["customer_cpf"] == ""
    assert raw_input(typed) == {"customer_name": "Ana"}


def test_each_error_belongs_to_its_field() -> None:
    error = InvalidInput(("customer_name", "campo obrigatório"), ("customer_cpf", "CPF inválido."))

    result = form_errors(error)

    assert result.fields == {"customer_name": "Campo obrigatório.", "customer_cpf": "CPF inválido."}
    assert result.alert is None


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (NotFound("Cupom não encontrado."), "Cupom não encontrado."),
        (CouponExhausted(of_customer=True), CouponExhausted.of_customer_message),
        (MinimumAmount("coupon_code"), "Com este cupom sobra menos de R$\u00a05,00, o mínimo para pagar com Pix."),
    ],
)
def test_errors_of_a_coupon_belong_to_its_field(error: InvalidInput | NotFound, message: str) -> None:
    result = form_errors(error)

    assert (result.fields, result.alert) == ({"coupon_code": message}, None)
    assert not result.of_payer
    assert result.above(coupon_shown=True) == ""
    assert result.above(coupon_shown=False) == message


def test_errors_without_a_field_are_above_the_form() -> None:
    assert form_errors(EngineFailed()).alert == EngineFailed.default_message
    assert form_errors(InvalidInput(("slug", "x"))).alert == "Dados inválidos: slug: x"
    assert "Fale com a loja" in form_errors(MinimumAmount()).above(coupon_shown=True)
    assert form_errors().above(coupon_shown=False) == ""
