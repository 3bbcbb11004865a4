"""Work for the engine -> answers, done in child processes that can be killed. Parsing never happens in the service's own process."""
