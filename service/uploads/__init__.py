"""Recordings that people add (``std-serve --allow-uploads``).

checks   permitted names, content and metadata
folder   the files of the recordings: received, described, deleted, restored
work     the commands that recognise and index them, and their progress
"""
