"""Utterances become the columns of an index segment; segments are merged into one."""
