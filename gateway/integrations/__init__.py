"""What the gateway talks to: payment engines, webhook endpoints (egress), identity, SMTP, object storage."""
