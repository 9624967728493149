"""Output of the commands for people and programs, alike for all commands.

    tables    tables for a person at a terminal, and in HTML pages
    progress  a bar on a terminal, lines in a log
    rows      one result as JSON, JSON lines, CSV, tab-separated lines, a table or a data frame
    numbers   numbers, times and lengths of time in a sentence

`std.command` and `std.options` are the edge of a command that uses these.
"""
