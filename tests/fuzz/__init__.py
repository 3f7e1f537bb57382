"""Made-up requests by the thousand (`make fuzz`), and a few of them, the same every time, in every `make test`.

Whatever is sent, by whomever: an answer that the document tells of, in its form, and nothing of another store's.
"""
