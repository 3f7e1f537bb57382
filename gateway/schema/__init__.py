"""GraphQL, the dashboard's API. The committed SDL is `schema.graphql`."""
