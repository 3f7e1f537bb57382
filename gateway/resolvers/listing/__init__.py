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
* `following` and `periods`: what was created in a period, in an order that goes with that, and in one that doesn't;
* `leads`: which of several filters is looked up, where nothing of this tells;
* `sweep`: the worker's job that keeps all of it for what is settled, while triggers follow what changes late.

Words that mean one thing throughout:

* a **shape** is which filters were sent, without their values: each has statements of its own, compiled once;
* a **milestone** says how many rows of a list were created up to a moment, one for each thousand rows; ten of them are
  a **stretch**, numbered from the oldest; what was created since the last milestone is **younger**;
* what is **kept** of rows is what the sweep has written down of them: their texts for searches, and **tallies**, which
  say how many rows have a value, in each stretch or in the whole list;
* a **group** is neighbouring values that are tallied as one, such as a day, and a **span** a column that is tallied so;
* a **dictionary** finds rows by the few texts that many of them share; **facets** make such texts of several columns;
* a **lead** is the filter whose index finds the rows when several were sent;
* a moment **follows** creation if it comes soon after it in nearly all rows; the others are **strays** in its order, as
  rows are whose ids were made at another time than they;
* a moment **stands in** for another one that is missing, **moved** before all others;
* a total is **capped** if there is more than was counted;
* what is **near** is among the first rows of the order asked for, what is **elsewhere** has an index of another order;
* rows are **narrowed** to what a filter finds where the index of an order passes by all others;
* a condition is **judged** when rows that something else has found are held against it one by one, and a bound value
  **unseen** when it is written so that PostgreSQL doesn't plan anew for each.
"""
