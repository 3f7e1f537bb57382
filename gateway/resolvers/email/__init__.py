"""Emails (docs/mail.md, ADR 0020). An operation enqueues one in its transaction, and a worker sends it:

await enqueue(ctx, transaction, EmailMessage(WebhookEndpointGone(…), store_id=endpoint["user_id"]))
"""
