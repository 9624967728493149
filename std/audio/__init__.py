"""The sound of recordings, through PyAV (FFmpeg's libraries; extras `audio`, `serve`, `whisper`).

files    which audio file belongs to which recording
facts    properties of a recording's audio file that an index keeps
samples  the decoded frames of a file; samples of a stretch of it, and as a file of their own
"""
