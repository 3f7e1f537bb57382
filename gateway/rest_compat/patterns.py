"""Regular expressions of texts, in the syntax that all engines share: no lookahead, no escapes of Unicode."""

_CONTROL = r"\x00-\x1f\x7f-\x9f"
LINE = rf"^[^{_CONTROL}]*$"
FILLED_LINE = rf"^[^{_CONTROL}]*[^\s{_CONTROL}][^{_CONTROL}]*$"
LINES = r"^[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]*$"

_YEAR = r"(190[1-9]|19[1-9][0-9]|[2-8][0-9]{3})"
_DAY = r"((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|[12][0-9]))"
_TIME = r"([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\.[0-9]{1,6})?)?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])?"
MOMENT_OR_DAY = rf"^{_YEAR}-{_DAY}([T ]{_TIME})?$"
"""A date-time, or a date alone."""

WORDS = {
    MOMENT_OR_DAY: "ISO 8601, data e hora ou só a data",
    LINE: "sem caracteres de controle",
    FILLED_LINE: "não só espaços, sem caracteres de controle",
    LINES: "sem caracteres de controle além de quebras de linha",
}
"""How a reader is told."""
