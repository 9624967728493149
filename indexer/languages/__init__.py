"""The languages of recordings: which one each is in, its phones, and what std-index says of it."""
