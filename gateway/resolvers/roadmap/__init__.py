"""The roadmap board: what is planned, with votes and comments.

Its rows are nobody's tenant data: there is one board, which every account sees alike, in either environment. So no
statement here asks for a store. What is somebody's own is the vote, and it is a person's: the account that is logged in
counts, not the store it is looking at. Of authors the board tells the name and nothing else.
"""
