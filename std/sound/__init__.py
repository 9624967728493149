"""The sound of recordings as frames of an encoder: one every 20 ms, without words.

columns  Sound, the frames of a recording, as signs of random projections; in an index, too
files    NAME.sound: written as a stream, continued after a crash, read
usual    how near each frame comes to others by chance, and which frames are silence

std-recognise writes them; std-index and std-search compare only frames of one encoder.
"""
