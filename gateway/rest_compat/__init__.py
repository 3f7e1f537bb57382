"""REST: the specified paths, served by the same operations as GraphQL."""
