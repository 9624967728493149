"""Tables as people keep them: CSV, TSV and workbooks, in any encoding that they come in.

    workbook    XLSX -> rows of text (openpyxl, the extra ``xlsx``)
    read        bytes of any kind -> `Table`: columns, and rows with their lines
    columns     which column holds terms

The callers know the meaning of rows: lists of terms (`std.nist.term_file`), metadata
(`std.metadata.read`), marks (`std.marks`).
"""
