"""Pure values, without I/O: money, documents, phones, ids, clock, dates."""
