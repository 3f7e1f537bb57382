"""Webhook deliveries, email and periodic jobs. Every arq name stays in this package."""
