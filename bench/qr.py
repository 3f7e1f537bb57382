"""How long a QR code takes: the first time, from the memory, and as the `qrcode` package draws it by default.

`python -m bench.qr`. Targets: 0.5 ms the first time, 5 µs memoised. The very first of a process makes the template of
its version, too, since no start-up does; that is told apart, once.
"""

import gc
import io
from base64 import b64encode
from collections.abc import Callable, Iterable
from statistics import median
from time import perf_counter
from uuid import uuid4

import qrcode

from gateway.engines import qr
from gateway.engines.br_code import build_dynamic

PAYLOADS = 2000
PACKAGE_PAYLOADS = 40  # The package takes its time.


def measure() -> dict[str, float]:
    """Median seconds for each data URL: `first`, `memoised` and `package`; `ratio`, package over first; and `template`,
    seconds of the very first of a process.
    """
    payloads = [_payload(centavos) for centavos in range(500, 500 + PAYLOADS)]
    template = _median(qr.data_url, [_payload(499)])
    gc.collect()
    gc.freeze()
    first = _median(qr.data_url, payloads)
    memoised = _median(qr.data_url, payloads)
    package = _median(_package_default, payloads[:PACKAGE_PAYLOADS])
    return {
        "first": first,
        "memoised": memoised,
        "package": package,
        "ratio": package / first,
        "template": template,
    }


def _payload(centavos: int) -> str:
    return build_dynamic(
        url=f"pix.example.com/qr/v2/{uuid4().hex}",
        amount=centavos,
        merchant_name="Padaria São João",
        merchant_city="São Paulo",
        postal_code="01310-100",
    )


def _median(draw: Callable[[str], str], payloads: Iterable[str]) -> float:
    seconds = []
    for payload in payloads:
        start = perf_counter()
        draw(payload)
        seconds.append(perf_counter() - start)
    return median(seconds)


def _package_default(payload: str) -> str:
    image = io.BytesIO()
    qrcode.make(payload).save(image, "PNG")
    return "data:image/png;base64," + b64encode(image.getvalue()).decode("ascii")


def main() -> None:
    figures = measure()
    print(f"with template   {figures['template'] * 1e3:8.3f} ms  (the first of a process)")
    print(f"first time      {figures['first'] * 1e3:8.3f} ms")
    print(f"memoised        {figures['memoised'] * 1e6:8.3f} µs")
    print(f"qrcode package  {figures['package'] * 1e3:8.3f} ms  ({figures['ratio']:.0f} times the first time)")


if __name__ == "__main__":
    main()
