"""Reasons of engines, sanitized for merchants."""

import pytest

from gateway.integrations.engines.errors import MAX_REASON_LENGTH, sanitize_reason


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("O CPF/CNPJ informado é inválido.", "O CPF/CNPJ informado é inválido."),
        ("Valor (R$ 1.234,56) acima\nde\x00 R$ 1.000,00", "Valor (R$ 1.234,56) acima de R$ 1.000,00"),
        ("O cliente 529.982.247-25 já existe", "O cliente [número] já existe"),
        ("O CNPJ 12.ABC.345/01DE-35 e 11222333000181", "O CNPJ 12.ABC.345/01DE-35 e [número]"),
        ("Use a chave $aact_prod_000MzkwODA2MWY2OGM3MWRl", "Use a chave [chave]"),
        ("Avise ana@example.com ou ligue +55 (11) 98765-4321", "Avise [e-mail] ou ligue [número]"),
        ("Carteira 0021c712-d963-4d86-a59d-031e7ac51a2e", "Carteira [código]"),
        ("Veja https://www.asaas.com/c/123", "Veja [endereço]"),
        ("<b>Conta</b> bloqueada", "b Conta /b bloqueada"),
        (None, ""),
        (" \u202e ", ""),
    ],
)
def test_a_reason_is_one_line_without_private_data(text: object, reason: str) -> None:
    assert sanitize_reason(text) == reason


def test_a_reason_is_bounded() -> None:
    assert len(sanitize_reason("não pode " * 100)) <= MAX_REASON_LENGTH
