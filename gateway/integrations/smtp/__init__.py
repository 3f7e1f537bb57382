"""SMTP to the operator's relay."""
