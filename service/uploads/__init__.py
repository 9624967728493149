"""Recordings that people add (``std-serve --allow-uploads``).

checks   which names and which content
folder   the files of those recordings, and what is sent, described, deleted, brought back
work     the commands that recognise and index them; how far each recording is
"""
