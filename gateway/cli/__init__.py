"""The `gateway` command."""
