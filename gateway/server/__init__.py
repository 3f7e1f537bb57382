"""The processes: HTTP server and worker."""
