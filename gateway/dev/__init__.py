"""What only `gateway dev` runs: supervisor, demo data, embedded PostgreSQL and Redis, mail inbox."""
