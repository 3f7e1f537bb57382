"""What all operations use: operation, context, inputs, views, lists, idempotency, access, credentials."""
