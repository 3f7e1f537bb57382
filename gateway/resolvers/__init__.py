"""What the gateway does. One room per noun; each verb is an async function that any door may call."""
