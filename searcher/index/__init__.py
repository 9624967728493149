"""What is searched, whatever is searched for: segments, recordings, copies, speech."""
