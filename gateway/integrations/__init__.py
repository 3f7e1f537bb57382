"""External services: payment engines, webhook endpoints (egress), identity, SMTP, object storage."""
