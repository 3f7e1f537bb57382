"""Webhook deliveries, e-mail and periodic jobs. Every arq name stays in this package."""
