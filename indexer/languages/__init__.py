"""The languages of recordings: their detection, their phones, and their lines in std-index."""
