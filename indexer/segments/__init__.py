"""Utterances become the columns of an index segment; segments become one."""
