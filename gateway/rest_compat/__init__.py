"""Door 2: the specified REST paths, served by the same operations as GraphQL."""
