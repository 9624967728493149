"""The sound of recordings, through PyAV (FFmpeg's libraries; extras `audio`, `serve`, `whisper`).

files    which audio file belongs to which recording
facts    properties of a recording's audio file that an index keeps
frames   the decoded frames of a file
decode   samples of a stretch of a file
encode   samples as a file of their own: Ogg Opus, or WAV
"""
