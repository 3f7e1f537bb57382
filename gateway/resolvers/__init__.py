"""What the gateway does. One module per noun; each operation is an async function that any transport may call."""
