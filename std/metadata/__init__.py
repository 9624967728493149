"""Metadata of recordings: title, date, speaker, any further column.

    table     metadata of many recordings as columns, as a store keeps them
    cells     the cells of a file, also of a table that an index printed; their changes to an index
    read      a user's file (CSV, TSV, workbook, JSON) -> cells -> table
    where     conditions on columns: ``date >= 2024-01``

Metadata belong to an audio file by its name. An index keeps them beside its segments
(`std.store.Store.metadata`), so they can be replaced without reading recogniser output again.
"""
