"""Door 1: GraphQL. The panel's own door; the committed SDL is `schema.graphql`."""
