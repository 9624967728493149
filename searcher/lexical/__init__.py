"""In-vocabulary search: look-up, joining to phrases, duplicates."""
