"""Metadata of recordings: title, date, speaker, any further column.

    table     metadata of many recordings as columns, as a store keeps them
    cells     a file cell by cell, and the changes that an index makes with it
    listed    tables that an index has printed: its own columns, its rows of channels
    read      a file of a person's (CSV, TSV, workbook, JSON) -> cells -> table
    where     conditions on columns: ``date >= 2024-01``

Metadata belong to an audio file by its name. An index keeps them beside its segments
(`std.store.Store.metadata`), so they can be replaced without reading recogniser output again.
"""
