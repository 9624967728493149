"""The sound of recordings as frames of an encoder: one every 20 ms, without words.

columns  the frames of a recording, as signs of random projections, and their columns in an index
files    the file NAME.sound: written as a stream, continued after a crash, read
usual    the distance from each frame to others by chance, and which frames are silence

std-recognise writes the frames; std-index and std-search compare only frames of one encoder.
"""
