"""CPF and CNPJ against public numbers, against an independent validator, and against what people paste."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st
from validate_docbr import CNPJ, CPF

from gateway.values.cpf_cnpj import (
    InvalidDocument,
    mask_document,
    normalise_cnpj,
    normalise_cpf,
    normalise_document,
)

CPFS = ["52998224725", "39053344705", "24971563792", "12345678909"]
NUMERIC_CNPJS = ["00000000000191", "33000167000101", "11222333000181", "16727230000197"]
# The first is the official example of Receita Federal; the others were computed with two independent libraries.
ALPHANUMERIC_CNPJS = ["12ABC34501DE35", "12ABC345000188", "ABCDEFGH000195", "A1B2C3D4000193"]

digits = st.text(string.digits, min_size=9, max_size=9)
roots = st.text(string.digits + string.ascii_uppercase, min_size=12, max_size=12)
check_digits = st.text(string.digits, min_size=2, max_size=2)


@pytest.mark.parametrize("document", [*CPFS, *NUMERIC_CNPJS, *ALPHANUMERIC_CNPJS])
def test_a_valid_document_is_its_own_normal_form(document):
    assert normalise_document(document) == document


@pytest.mark.parametrize(
    ("written", "normal"),
    [
        ("529.982.247-25", "52998224725"),
        (" 529 982 247 25 ", "52998224725"),
        ("12.ABC.345/01DE-35", "12ABC34501DE35"),
        ("12.abc.345/01de-35", "12ABC34501DE35"),
        ("00.000.000/0001-91", "00000000000191"),
    ],
)
def test_formatting_and_case_are_normalised(written, normal):
    assert normalise_document(written) == normal


@pytest.mark.parametrize(
    "text",
    [
        "52998224726",  # The second check digit.
        "52998224735",  # The first.
        "12ABC34501DE36",
        "12ABC34501DE3A",  # A check digit is a digit.
        *(digit * 11 for digit in string.digits),
        *(digit * 14 for digit in string.digits),
        "AAAAAAAAAAAAAA",
        "A2998224725",  # A CPF has no letters.
        "",
        " ",
        "-",
        "5299822472",
        "052998224725",
        "52998224725\n",
        "\t52998224725",
        "529_982_247_25",
        "529x98224725",
        "52998224725;",
        "52998224725\x00",
        "\uff15\uff12\uff19\uff19\uff18\uff12\uff12\uff14\uff17\uff12\uff15",  # Full-width digits.
        "529982247\u0662\u0665",  # Arabic-Indic digits.
        "52998224725\u00a0",  # A no-break space is not a space.
    ],
)
def test_anything_else_is_refused(text):
    with pytest.raises(InvalidDocument):
        normalise_document(text)


@pytest.mark.parametrize("impostor", ["\u017f", "\u0131", "\u00df", "\u212a"])
def test_letters_that_become_ascii_in_upper_case_are_refused(impostor):
    """`"\u017f".upper()` is `"S"`: folding before the check for ASCII would accept it."""
    root = f"12{impostor.upper()[0]}BC34501DE"
    with pytest.raises(InvalidDocument):
        normalise_document(f"12{impostor}" + _completed(root)[3:])


@pytest.mark.parametrize("value", [None, 52998224725, 529.98, b"52998224725", ["52998224725"], True])
def test_other_types_raise_invalid_document(value):
    with pytest.raises(InvalidDocument):
        normalise_document(value)


@pytest.mark.parametrize("cpf", CPFS)
def test_a_cpf_is_no_cnpj(cpf):
    assert normalise_cpf(cpf) == cpf
    with pytest.raises(InvalidDocument, match=r"CNPJ inválido\."):
        normalise_cnpj(cpf)


@pytest.mark.parametrize("cnpj", [*NUMERIC_CNPJS, *ALPHANUMERIC_CNPJS])
def test_a_cnpj_is_no_cpf(cnpj):
    assert normalise_cnpj(cnpj) == cnpj
    with pytest.raises(InvalidDocument, match=r"CPF inválido\."):
        normalise_cpf(cnpj)


def test_a_message_never_repeats_the_document():
    with pytest.raises(InvalidDocument) as refusal:
        normalise_document("52998224726")
    assert "529" not in str(refusal.value)


@pytest.mark.parametrize(
    ("document", "masked"),
    [
        ("12345678909", "***.456.789-**"),
        ("33000167000101", "33.***.***/0001-**"),
        ("12ABC34501DE35", "12.***.***/01DE-**"),
    ],
)
def test_mask_document(document, masked):
    assert mask_document(document) == masked


@pytest.mark.parametrize("text", ["", "123.456.789-09", "1234567890", "123456789012345"])
def test_only_a_normalised_document_is_masked(text):
    with pytest.raises(InvalidDocument):
        mask_document(text)


@given(digits, check_digits)
def test_cpf_agrees_with_an_independent_validator(root, dv):
    _agree(root + dv, CPF().validate(root + dv))


@given(roots, check_digits)
def test_cnpj_agrees_with_an_independent_validator(root, dv):
    _agree(root + dv, CNPJ().validate(root + dv))


@given(digits)
def test_a_cpf_root_has_one_pair_of_check_digits_of_a_hundred(root):
    candidates = [f"{root}{pair:02d}" for pair in range(100)]
    assert [c for c in candidates if _accepts(c)] == [c for c in candidates if CPF().validate(c)]


@given(roots)
def test_a_completed_cnpj_passes_and_its_neighbours_do_not(root):
    cnpj = _completed(root)
    if len(set(cnpj)) == 1:
        return
    assert normalise_cnpj(cnpj) == cnpj
    last = str((int(cnpj[-1]) + 1) % 10)
    assert not _accepts(cnpj[:-1] + last)


@given(st.text(max_size=20))
def test_any_text_returns_a_document_or_raises_invalid_document(text):
    try:
        document = normalise_document(text)
    except InvalidDocument:
        return
    assert normalise_document(document) == document


def _completed(root):
    first = CNPJ()._generate_first_digit(root)
    return root + first + CNPJ()._generate_second_digit(root + first)


def _accepts(document):
    try:
        return normalise_document(document) == document
    except InvalidDocument:
        return False


def _agree(document, verdict):
    assert _accepts(document) is verdict
