"""Mails: what is told, to whom, and once. docs/mail.md is the guide, ADR 0020 says why it is done so.

A room that has something to tell queues it in the transaction of its act, and is done:

    await queue(ctx, transaction, Letter(WebhookEndpointGone(…), store_id=endpoint["user_id"]))
"""
