"""The inbox of `gateway dev`: the emails that no relay takes, on a page for developers. No other command serves it."""
