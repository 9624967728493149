"""The settings of a service, and the limits of one client's requests."""

from dataclasses import dataclass, field
from pathlib import Path

from std.config import Config


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of the work of a request; a request beyond them is refused, never truncated."""

    terms: int = 20  # of one search
    list_terms: int = 10_000  # of a term list
    list_candidates: int = 1_000_000  # of a term list, of any probability
    letters: int = 200  # of a term; also limits its number of phones
    query_letters: int = 2000  # of a query
    words: int = 20  # of a term
    export_hits: int = 20_000  # of an exported list
    clips: int = 200  # of an archive of clips
    clip_s: float = 60.0
    window_s: float = 60.0  # of a spectrogram
    search_s: float = 30.0  # of one search
    list_s: float = 600.0  # of a term list
    recording_s: float = 3600.0  # of a waveform, or a copy that browsers play
    waveform_wait_s: float = 5.0  # that a request waits for a waveform
    known_workers: int = 2  # for searches of known words, if no process answers them
    other_workers: int = 2  # for splits and phones; and as many for queries and wildcards
    spare_workers: int = 6  # for queries that wait because others are slow
    audio_workers: int = 2  # for stretches; and as many for whole recordings
    list_workers: int = 1
    waiting: int = 100  # waiting requests per kind of worker; further ones get status 429
    body_bytes: int = 4_000_000
    body_s: float = 30.0  # to send a body
    unpacked_bytes: int = 16_000_000  # of a list in a workbook, whose body is compressed
    cache_bytes: int = 128_000_000
    connections: int = 1000
    upload_bytes: int = 2_000_000_000  # of an added file
    uploads_bytes: int = 100_000_000_000  # of all added files
    upload_hours: float = 24.0  # of sound
    upload_s: float = 3600.0  # to send one
    free_bytes: int = 1_000_000_000  # of the disk to keep free
    metadata_letters: int = 2000  # of a metadata value


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of one service."""

    stores: tuple[str, ...]
    config: Config | Path | None = None
    model: Path | None = None
    audio: Path | None = None
    metadata: Path | None = None
    feedback: Path | None = None
    alerts: Path | None = None
    alerts_urls: tuple[str, ...] = ()
    alerts_secret: str = field(default="", repr=False)
    alerts_column: str | None = None  # of the terms in a table; None: found by its name
    host: str = "127.0.0.1"
    port: int = 8000
    allowed_hosts: tuple[str, ...] = ()
    token: str = field(default="", repr=False)  # keeps the secret out of logs
    root_path: str = ""
    jobs: int = 1  # processes that search known words; 1 = threads of the service search them
    poll_s: float = 2.0  # between two checks for new commits
    limits: Limits = field(default_factory=Limits)
    user_header: str = ""  # the header in which a reverse proxy names the user; empty = none
    users: Path | None = None  # the table of users and roles
    audit: Path | None = None  # the log of what users changed
    allow_corrections: bool = False  # people may correct words
    allow_uploads: bool = False  # people may add recordings, in a folder below that of the audio
    frames: tuple[str, ...] = ()  # origins whose pages may show hits in a frame; * = any
    recognise: tuple[str, ...] = ()  # options of std-recognise for added sound

    def __post_init__(self) -> None:
        """Take paths that are given as text, too."""
        for name in ("model", "audio", "metadata", "feedback", "alerts", "users", "audit"):
            if (path := getattr(self, name)) is not None:
                object.__setattr__(self, name, Path(path))

    def without_folders(self, text: str) -> str:
        """A message as clients may read it: files and folders of the server by their names only.

        >>> Settings(("/srv/index",)).without_folders("/srv/index/segments: gone")
        'index/segments: gone'
        """
        files = (self.audio, self.metadata, self.feedback, self.alerts, self.users, self.audit)
        for path in sorted({*self.stores, *map(str, filter(None, files))}, key=len, reverse=True):
            if Path(path).is_absolute():
                text = text.replace(path, Path(path).name)
        return text
