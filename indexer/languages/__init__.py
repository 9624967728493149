"""Which language each recording is in, and segments of one language each."""
