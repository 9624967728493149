"""The searched data, independent of terms: segments, recordings, copies, speech."""
