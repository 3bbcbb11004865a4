"""Jobs -> done, whatever dies meanwhile. The only folder that imports DBOS."""
