"""The languages of recordings: their detection, and their phones."""
