"""Lists: what is asked of them, how they are read, and how they stay quick when they are long.

A room declares a list once, as a `Listing`, and reads its windows with `page_of`. To follow a request through:

* `inputs`, `filters`, `names`, `folding`: what callers may ask for, and the conditions and orders that it stands for;
* `statements`, `declared`, `selects`: the list as it is declared, and the SQL for each combination
  of filters, order and window;
* `windows`, `slices`, `cursors`, `totals`, `exports`: reading a page, all of it, a slice by
  cursor, how many there are, a CSV.

That is all that a list of some thousand rows needs. The others are about a million, each with its decision in docs/adr:

* `milestones` and `deep`: totals, searches and pages deep in the order of creation without reading what is before them;
* `tallies`, `groups`, `facets`, `dictionary`: how many rows a filter finds, and where, without counting them;
* `leads`: which of several filters is looked up, where nothing of this tells;
* `sweep`: the worker's job that keeps all of it for what is settled, while triggers follow what changes late.
"""
