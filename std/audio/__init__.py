"""The sound of recordings, through PyAV (FFmpeg's libraries; extras `audio`, `serve`, `whisper`).

files    which audio file belongs to which recording
facts    properties of a recording's audio file that an index keeps
samples  decodes a file, or a stretch of it, into samples; writes samples to a file
"""
