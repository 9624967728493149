"""Which language words are in, told by function words and script."""
