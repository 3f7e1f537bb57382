"""Error responses."""

import pytest

from gateway.errors import InvalidInput


@pytest.mark.parametrize(
    ("reason", "message"),
    [
        ("Use no máximo duas casas decimais.", "use no máximo duas casas decimais"),
        ("CPF inválido.", "CPF inválido"),
        ("campo obrigatório", "campo obrigatório"),
        ("O valor máximo é R$ 9.999.999,99.", "o valor máximo é R$ 9.999.999,99"),
        ("É de uma rede interna.", "é de uma rede interna"),
    ],
)
def test_reasons_are_formatted_in_one_style(reason: str, message: str) -> None:
    error = InvalidInput(("campo", reason))
    assert error.extra["campos"] == [{"campo": "campo", "mensagem": message}]
    assert error.message == f"Dados inválidos: campo: {message}"
