"""The sound of recordings, through PyAV (FFmpeg's libraries).

decode       samples of a stretch of a file
peaks        the waveform of a recording, computed once and kept beside the index
spectrogram  the spectrum of a stretch, as a picture
clips        a stretch as a file of its own
playable     a recording in a form that browsers play
"""
