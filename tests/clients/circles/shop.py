"""Shared by the cycles in Python: the merchant, the orders, and the summary that the tests compare."""

import json
import sys
import uuid

GATEWAY = sys.argv[1]
MERCHANT = {
    "name": "Ana Lojista",
    "email": f"ana.{uuid.uuid4()}@example.com",
    "password": "uma senha bem comprida",
    "cnpj": "11.222.333/0001-81",
    "company": "Loja da Ana",
}
ORDER = {
    "description": "Pedido 1042",
    "customer_name": "João Pereira",
    "customer_email": "joao@example.com",
    "customer_cpf": "529.982.247-25",
}
AMOUNTS = (10, 20.5, 129.9)
TOO_SMALL = 1


def show(statuses: list[str], pages: list[list[float]], message: str, codigo: str) -> None:
    summary = {"statuses": statuses, "pages": pages, "message": message, "codigo": codigo}
    print(json.dumps(summary))
