"""Door 4: the pages a payer meets, `/pay/{slug}` (a payment link) and `/pay/c/{txid}` (one
charge: QR, status, receipt).

Drawn on the server, with one small script that makes them livelier and that nothing depends on. Like every door, the
pages translate: each rule, limit and mask is that of the public operations in `gateway.resolvers.checkout`.
"""
