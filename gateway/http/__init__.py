"""What all transports share: protocol limits, middleware, request bodies, static files."""
