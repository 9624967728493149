"""The sound of recordings as an encoder hears it: a frame every 20 ms, without words.

value    Sound, the frames of a recording, and the Encoder that made them
signs    frames -> signs of random projections, 32 bytes a frame
files    NAME.sound: written as a stream, taken up after a crash, read
usual    how near each frame comes to others by chance, which frames are silence
columns  the signs of a segment's recordings in an index

std-recognise writes them; std-index and std-search compare only frames of one encoder.
"""
