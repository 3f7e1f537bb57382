"""The payer's pages: `/pay/{slug}` (a payment link) and `/pay/c/{txid}` (a charge: QR code, status, receipt).

The server renders them; they also work without the script. All rules are in `gateway.resolvers.checkout`.
"""
