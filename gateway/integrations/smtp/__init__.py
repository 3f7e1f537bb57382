"""Speaking SMTP to the operator's relay, and nowhere else."""
