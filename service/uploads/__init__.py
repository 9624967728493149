"""Recordings that people add (``std-serve --allow-uploads``).

checks     permitted names and content
folder     the files of the recordings: received, described, deleted, restored
metadata   their table: title, date, ...
work       the commands that recognise and index them, and their progress
"""
