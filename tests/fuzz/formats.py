"""Formats of the OpenAPI document for Schemathesis: CPF and CNPJ with valid check digits."""

import schemathesis
from hypothesis import strategies as st

CPFS = ("52998224725", "529.982.247-25", "111.444.777-35", "39053344705")
CNPJS = ("11222333000181", "11.222.333/0001-81", "45.723.174/0001-10", "12.ABC.345/01DE-35")

schemathesis.openapi.format("cpf", st.sampled_from(CPFS))
schemathesis.openapi.format("cnpj", st.sampled_from(CNPJS))
schemathesis.openapi.format("cpf-or-cnpj", st.sampled_from((*CPFS, *CNPJS)))
