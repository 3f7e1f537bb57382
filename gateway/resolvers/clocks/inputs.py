"""What merchants say of their test store's clock."""

from pydantic import Field

from gateway.resolvers.core.inputs import Input, Start


class AdvanceClock(Input):
    """Até onde o relógio de teste da loja avança."""

    to: Start = Field(
        description="Momento futuro pelo relógio da loja, até 366 dias à frente dele; de uma data, o início do dia."
    )
