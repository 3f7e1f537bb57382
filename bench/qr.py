"""How long a QR image takes: `python -m bench.qr`. The first of a process also makes the template of its size."""

import gc
from collections.abc import Callable, Iterable
from statistics import median
from time import perf_counter
from uuid import uuid4

from bench.targets import check, leave
from gateway.integrations.engines import qr
from gateway.integrations.engines.br_code import build_dynamic

PAYLOADS = 2000


def _payload(centavos: int) -> str:
    return build_dynamic(
        url=f"pix.example.com/api/qr/v2/cobv/{uuid4().hex}",
        amount=centavos,
        merchant_name="Padaria São João",
        merchant_city="São Paulo",
    )


def _median_seconds(draw: Callable[[str], str], payloads: Iterable[str]) -> float:
    seconds = []
    for payload in payloads:
        start = perf_counter()
        draw(payload)
        seconds.append(perf_counter() - start)
    return median(seconds)


def main() -> None:
    payloads = [_payload(centavos) for centavos in range(500, 500 + PAYLOADS)]
    template = _median_seconds(qr.data_url, [_payload(499)])
    gc.collect()
    gc.freeze()
    first, cached = (_median_seconds(qr.data_url, payloads) for _ in range(2))
    note = f"{template * 1e3:.1f} ms for the first image of a process"
    leave(
        [
            check("QR image, first time", first * 1e3, 0.5, "ms", note=note),
            check("QR image, cached", cached * 1e6, 5, "µs"),
        ]
    )


if __name__ == "__main__":
    main()
