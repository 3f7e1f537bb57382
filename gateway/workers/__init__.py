"""Door 3: jobs and crons. Every arq name stays in this package."""
