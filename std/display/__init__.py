"""Output of the commands for people and programs, alike for all commands.

    rows      one result as a table for a person, in an HTML page, as JSON, JSON lines, CSV,
              tab-separated lines or a data frame
    progress  a bar on a terminal, lines in a log

`std.command` and `std.options` are the edge of a command that uses these.
"""
