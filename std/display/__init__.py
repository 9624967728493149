"""Output of the commands for people and programs, alike for all commands.

    tables    tables of rich for a person at a terminal
    progress  a bar on a terminal, lines in a log
    rows      one result as JSON, JSON lines, CSV, tab-separated lines or a table
    html      pages from templates, and the one form of a table in them
    times     times and lengths of time
    numbers   numbers in a sentence

`std.command` and `std.options` are the edge of a command that uses these.
"""
