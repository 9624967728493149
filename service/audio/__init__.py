"""The sound of recordings, through PyAV (FFmpeg's libraries).

sound        samples, clips, waveforms, copies that browsers play
spectrogram  the spectrum of a stretch, as a picture
"""
