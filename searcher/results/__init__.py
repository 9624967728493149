"""The results of a search: candidates, hits, answers."""
