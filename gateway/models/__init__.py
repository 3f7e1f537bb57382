"""Tables and their truths, and the one way to the database."""
