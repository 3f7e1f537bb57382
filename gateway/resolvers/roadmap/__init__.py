"""The roadmap board: planned features, with votes and comments.

All stores share one board, in both environments, so no statement here filters by store. A vote belongs to the account
that is logged in, not to the store that it has selected. The board shows no more of an author than the name.
"""
