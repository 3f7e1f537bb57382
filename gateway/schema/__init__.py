"""GraphQL, the panel's API. The committed SDL is `schema.graphql`."""
