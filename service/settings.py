"""The settings of a service, and the limits of one client's requests."""

from dataclasses import dataclass, field
from pathlib import Path

from std.config import Config


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of the work that requests cause; beyond them a request is refused, never cut."""

    terms: int = 20  # of one search
    list_terms: int = 10_000  # of a term list
    list_candidates: int = 1_000_000  # of a term list, of any probability
    letters: int = 200  # of a term; so it has at most about as many phones
    query_letters: int = 2000  # of a query
    words: int = 20  # of a term
    hits: int = 500  # of one answer; a cursor leads on
    export_hits: int = 20_000  # of an exported list
    clips: int = 200  # of an archive of clips
    clip_s: float = 60.0
    window_s: float = 60.0  # of a spectrogram
    search_s: float = 30.0  # of one search
    list_s: float = 600.0  # of a term list
    known_workers: int = 2  # searches of words that the index has, where processes do not
    other_workers: int = 2  # all others: splits, wildcards, phones
    audio_workers: int = 2
    list_workers: int = 1
    waiting: int = 100  # requests that wait for each kind of worker; more get status 429
    body_bytes: int = 4_000_000
    body_s: float = 30.0  # to send a body
    cache_bytes: int = 128_000_000
    connections: int = 1000
    upload_bytes: int = 2_000_000_000  # of a file that somebody adds
    uploads_bytes: int = 100_000_000_000  # of all of them
    upload_hours: float = 24.0  # of sound
    upload_s: float = 3600.0  # to send one
    free_bytes: int = 1_000_000_000  # of the disk that stay free
    metadata_letters: int = 2000  # of a value that somebody writes


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
    alerts_url: str = ""
    alerts_column: str | None = None  # of the list of terms, if it is a table; None: by its name
    host: str = "127.0.0.1"
    port: int = 8000
    allowed_hosts: tuple[str, ...] = ()
    token: str = field(default="", repr=False)  # no secret in a log
    root_path: str = ""
    jobs: int = 1  # processes that search known words; 1 = threads of the service do
    poll_s: float = 2.0  # how often the index is looked at for new commits
    limits: Limits = field(default_factory=Limits)
    user_header: str = ""  # in which a reverse proxy names the user; empty: nobody is named
    users: Path | None = None  # the table of who may do what
    audit: Path | None = None  # the log of what users changed
    allow_corrections: bool = False  # people may correct what recordings say
    allow_uploads: bool = False  # people may add recordings, to a folder in that of the audio
    recognise: tuple[str, ...] = ()  # options of std-recognise for the sound that they add
