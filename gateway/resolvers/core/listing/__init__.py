"""Lists: filters, orders, search, pages, cursors, totals and exports, over REST and GraphQL.

A module declares a list once, as a `Listing` (`definition`), and reads it with `page_of`, `pages_per` or `export_of`.

* `inputs`: what callers send; `definition`: filters and orders as data; `search`: what `q` finds.
* `queries`: the SQL; `cursors`: where a row is in an order; `totals`: how far rows are counted.
* `pages`: read a page, a slice by cursor, the whole list, or a slice for each of many parents; `exports`: CSV.

Pages are keyset or offset windows over ids in a covering index; the rows of the page are read last. Totals are exact up
to `MAX_COUNTED`. Search uses a trigram index in two steps (docs/adr: lists).
"""
